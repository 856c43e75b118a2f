// Package combine aggregates values by key for the map and reduce sides of a job.
//
// A [Table] is the map-side combiner. It folds each emitted value into the value stored for its key.
// [Table.Finish] returns one [Segment] a partition, with one record for each distinct key unless
// the table spilled. Entries in memory are unsorted. When the memory budget is exhausted, the table
// writes a sorted, compressed run (package segment) and continues empty. Combine must be associative
// and commutative.
//
// A [Merge] combines the segments of one partition and returns each key once, in ascending order,
// with its combined value. [Lookup] is the hash table of broadcast joins.
//
// Tables and merges are not safe for concurrent use. Segments are immutable and must be released
// exactly once.
//
// # Terms
//
//   - accumulator: what Table and Merge share. It folds pairs into one value for each key, and knows when
//     to grow, when to spill and when to stop.
//   - value: memory of a known size. The package has no type parameter but in emits and folds: each type
//     of values costs a program code of its own, so what is done once a table, or once half a batch, knows a
//     value by where it lies.
//   - fold: what combines values; the caller makes it of its Combine (FoldOf).
//   - hit: where a value goes that has come.
//   - hash table: its cells have the first 16 bytes of a key and its value. The arena has the bytes of
//     longer keys.
//   - slots: values that hold pointers. They lie on the Go heap, where the collector finds these; the cells
//     have their numbers.
//   - dense array: values of integer keys that lie close together, each at the place of its key.
//   - batch: pairs that wait, so that the cells they go to come from memory meanwhile.
//   - key list: all keys in place, with where their values lie; sorted for spills and for a Merge.
//   - packed: what the hash table becomes for the reduces, pair behind pair, by partition.
//
// # Invariants
//
//   - A key is in the hash table or in the dense array, never in both; it may be in spills, too.
//   - The hash table is at most half full, so that there are half as many slots as cells. A key of at
//     most 16 bytes lies in its cell, zero padded.
//   - Whoever sorts, spills, packs or counts flushes first: a pair that waits is in no table.
//   - After the first error nothing is folded.
//
// Read values.go and accumulator.go first, then batch.go, hashtable.go, and finish.go with pack.go; emit.go,
// dense.go, spill.go with sort.go, heapaccount.go and lentvalues.go stand beside that path.
//
// # Fast paths, and the tests that enter them
//
// Pairs do not go into the table one by one. They wait, and while they wait the memory that a
// user's map has emitted must not be what they point to. Each of these paths has a test here that
// names its states, and a case in package actors/differential that is shown by coverage to enter it
// on a cluster.
//
//   - batch.go: two halves of 64 pairs with keys of at most 16 bytes; one half is filled while the other
//     waits for its cells (late). TestCombineEqualsMap.
//   - batch.go: up to 32 pairs, or 4 KiB, of longer keys. TestCombineEqualsMap.
//   - lentvalues.go: byte-slice values in one buffer until their pairs have left both batches.
//     TestLentValuesWaitInEitherHalf, TestLentValuesAreTheCallersAgain.
//   - encoded.go: keys that are encoded, read when their half is full. TestEmittersAtEndsOfPages.
//   - emit.go: sums of 8 bytes under keys that are bytes. TestEmittersAtEndsOfPages.
//   - dense.go, densesegment.go: values of integer keys in an array, handed to the reduces as it is.
//     TestNumbersEqualMap, TestDenseArraysAreHandedOver.
package combine
