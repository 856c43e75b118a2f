// Package segment sorts, spills, stores and merges the records of map attempts.
//
// A record is a key and a value, both bytes. Keys are order-preserving encodings, so comparing
// bytes compares keys. A [Sorter] collects the records that an attempt emits and finishes with one
// [Segment] per partition: an immutable run of records, in memory or in a spill file. A [Merge]
// merges the segments of one partition into one sorted stream. Records with equal keys stay in the
// order of the segments and, within a segment, in the order of emission, so the output does not
// depend on what spilled or which map ended first.
//
// In memory a record is an entry of 24 bytes, its key and its value; frequent keys share an entry
// in a bundle, see bundle.go.
//
// TestPaths of actors/differential runs jobs for each of the fast paths: records in the index,
// copies, bundles, spills, records of megabytes. TestMatrix compares such jobs with plain Go.
package segment
