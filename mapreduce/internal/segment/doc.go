// Package segment sorts, spills, stores and merges the records of map attempts.
//
// A record is a key and a value, both bytes; keys are order-preserving
// encodings, so comparing bytes compares keys. A [Sorter] takes the records an
// attempt emits and ends as one [Segment] per partition: an immutable run of
// records, in memory or in a spill file. A [Merge] joins the segments of one
// partition into one sorted stream. Records with equal keys keep the order of
// the segments and, inside a segment, the order of emission, so the bytes that
// come out do not depend on what spilled or which map ended first.
//
// In memory a record is an entry of 24 bytes, its key and its value, or, where keys come often, a
// part of a bundle: see bundle.go.
//
// TestPaths of actors/differential has jobs that take each of the fast paths: records in the index, copies, bundles,
// spills, records of megabytes. TestMatrix compares such jobs with plain Go.
package segment
