// Package read reads the splits of a job's input as records.
//
// An [Input] yields batches of records. A [Reader] reads one split for one attempt: it knows the
// source and the split, counts progress, and holds the [Place] of the current record, for
// Task.Offset and for errors.
//
// # Terms
//
//   - run: whole records that lie together, such as the lines of a window of a mapped file.
//   - batch: some records of a run, which the map gets one after the other.
//   - ends: what finds the ends of records, see [Ends].
//
// # Reading order
//
// batch.go has the contract between inputs and maps. reader.go finds runs: a record belongs to the
// split in which it begins. lines.go and separated.go cut runs into records. decoded.go converts
// the records of another input. skips.go and recorderror.go handle records on which a map fails.
//
// A case of TestPaths in package actors/differential skips records in the middle of batches.
package read
