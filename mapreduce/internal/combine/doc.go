// Package combine aggregates values by key for the map and reduce sides of a job.
//
// A [Table] is the map-side combiner. It folds each emitted value into the value stored for its
// key. [Table.Finish] returns one [Segment] per partition, with one record per distinct key unless
// the table spilled. In-memory entries are unsorted. When the memory budget is exhausted, the table
// writes a sorted, compressed run (package segment) and continues empty. Combine must be
// associative and commutative.
//
// A [Merge] combines the segments of one partition and returns each key once, in ascending order,
// with its combined value. [Lookup] is the hash table of broadcast joins.
//
// Tables and merges are not safe for concurrent use. Segments are immutable and must be released
// exactly once.
//
// # Terms
//
//   - accumulator: the common part of Table and Merge. It folds pairs into one value per key, and
//     decides when to grow, spill and stop.
//   - value: memory of a known size, passed as a pointer. Only emits and folds have type
//     parameters, because generic code is compiled for each value type.
//   - fold: the function that combines values; FoldOf makes it from a Combine.
//   - hit: the destination of an incoming value.
//   - hash table: its cells hold the first 16 bytes of a key and its value. The arena holds the
//     longer keys.
//   - slots: values with pointers. They are on the Go heap, where the garbage collector finds them;
//     cells hold their indexes.
//   - dense array: values of integer keys that are close to each other, indexed by key.
//   - batch: pairs that wait while the processor loads their cells, group by group.
//   - key list: all keys of an accumulator, with the addresses of their values; sorted for spills
//     and for a Merge. A sorted pair has a number: its cell, or its place in the dense array.
//   - packed: the form in which a table's entries reach the reduces: pair after pair, by partition.
//
// # States
//
// A pair waits in a batch (put), then is folded into hash table or dense array (fold). What has no
// room there
//
//  1. goes into a dense array that also takes the keys of the hash table (gather), if keys are
//     integers that fill 1/16 of it;
//  2. or into a larger hash table (resize), if the budget allows;
//  3. or into empty tables, once all their pairs are in a spill (drain).
//
// At the end of a table, its pairs become segments (hand): views of the dense array, packed copies,
// or a last spill. A Merge folds those of all maps, sorts the keys and reads them beside the
// spills.
//
// # Invariants
//
//   - A key is in the hash table or in the dense array, never in both; it may be in spills, too.
//   - The dense array has all keys of its range, so those of the hash table come before or after it.
//   - The hash table is at most half full, so it has half as many slots as cells. A key of at most
//     16 bytes is in its cell, zero padded.
//   - Code that sorts, spills, packs or counts must flush first: a waiting pair is in no table.
//   - After the first error nothing is folded.
//
// # Reading order
//
// values.go, accumulator.go, batch.go, hashtable.go, and pack.go with segment.go. These extend that
// path: emit.go, dense.go, spill.go with sort.go, heapaccount.go and lentvalues.go.
//
// # Fast paths, and the tests that enter them
//
// A pair waits in a batch before it enters a table. While it waits, it must not refer to memory
// that the user's map may reuse. Each of these paths has a test here that names its states, and a
// case in package actors/differential whose coverage shows that it enters the path on a cluster.
//
//   - batch.go: 128 pairs with keys of at most 16 bytes, in groups of 16. TestCombineEqualsMap.
//   - batch.go: up to 32 pairs, or 4 KiB, of longer keys. TestCombineEqualsMap.
//   - lentvalues.go: byte-slice values in one buffer until their pairs are folded.
//     TestLentValuesTakeNoMemory.
//   - encoded.go: encoded keys, read when their group is full. TestEmittersAtEndsOfPages.
//   - emit.go: sums of 8 bytes under keys of bytes. TestEmittersAtEndsOfPages.
//   - dense.go, densesegment.go: values of integer keys in an array, passed to the reduces without
//     packing. TestNumbersEqualMap, TestDenseArraysArePassedOn.
package combine
