// Package kept keeps the output of a job in memory, part by part, for other jobs to read. It
// implements the datasets of a cluster.
//
//   - A [Store] holds the parts of one job's output, of any record type. It is the destination of
//     the job that fills it and the source of the jobs that read it.
//   - The [Data] of a part is its records: blocks of whole records, each in memory or in a spill.
//     It is immutable once its attempt is done, and freed when its last user has called Drop.
//   - A [Form] is the layout of a record type in a block: images, the memory of the records; flat,
//     their fields in sequence; or encoded as values.
//   - A fingerprint identifies the records of a part, in case the part is recomputed.
//
// The states of a store: one job at a time fills it; it is whole once that job has succeeded; parts
// of it are lost, with a node or by a damaged spill, and a rerun of that job recomputes them; it is
// released, and its memory is freed once no plan holds it.
package kept
