// Package combine aggregates values by key for the map and reduce sides of a job.
//
// A [Table] is the map-side combiner. Emit folds each value into the value stored for its key.
// [Table.Finish] returns one [Segment] a partition, with one record for each distinct key unless the
// table spilled. Entries in memory are unsorted. When the memory budget is exhausted, the table writes
// a sorted, compressed run (package segment) and continues empty. Values without an encoding never
// spill. Combine must be associative and commutative.
//
// A [Merge] combines the segments of one partition and returns each key once, in ascending order, with
// its combined value. [Lookup] is the hash table of broadcast joins.
//
// Tables and merges are not safe for concurrent use. Segments are immutable and must be released
// exactly once.
//
// # Fast paths, and the tests that enter them
//
// Pairs do not go into the table one by one. They wait, and while they wait the memory that a user's
// map has emitted must not be what they point to. Each of these paths has a test here that names its
// states, and a case in package actors/differential that is shown by coverage to enter it on a cluster.
//
//   - batch.go: two halves of 64 pairs with keys of at most 16 bytes; one half is filled while the other
//     waits for its cells (late). TestCombineEqualsMap.
//   - longbatch.go: up to 32 pairs, or 4 KiB, of longer keys. TestCombineEqualsMap.
//   - lent.go: byte-slice values in one buffer until their pairs have left both batches.
//     TestLentValuesWaitInEitherHalf, TestLentValuesAreTheCallersAgain.
//   - encoded.go: keys that are encoded, read when their half is full. TestEmittersAtEndsOfPages.
//   - sumemit.go: sums of 8 bytes under keys that are bytes. TestEmittersAtEndsOfPages.
//   - numbers.go, row.go: values of integer keys in an array, handed to the reduces as it is.
//     TestNumbersEqualMap, TestRowsAreHandedOver.
package combine
