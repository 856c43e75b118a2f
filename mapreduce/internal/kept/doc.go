// Package kept keeps the output of a job in memory, part by part, for jobs that read it: what a
// dataset of a cluster is made of.
//
//   - A [Store] has the parts of one job's output, whatever the type of their records. It is the
//     destination of the job that fills it and the sources of those that read it.
//   - The [Data] of a part is its records: blocks of whole records, each in memory or in a spill.
//     It is
//     immutable once its attempt is done, and goes when the last that uses it has called Drop.
//   - A [Form] says how records of a type lie in a block: as images, which are their memory; flat,
//     which
//     is their fields one after the other; or encoded as values are.
//   - A fingerprint tells the records of a part from others, should the part be made again.
//
// A store goes through these states: it is being filled, by one job at a time; it is whole, once
// that job has succeeded; parts of it are lost, with a node or by a damaged spill, and are made
// again by a job that fills [Store.Again]; it is released, and its memory goes once no plan holds
// it.
package kept
