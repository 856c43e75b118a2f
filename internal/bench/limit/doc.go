// Package limit holds the hand-tuned, single-purpose programs that Tarry is measured against:
// WordCount and TeraSort, each written directly for its task, with no engine, no scheduling, no
// commit and no memory budget. What they reach on a machine is the *limit* column of `make bench`;
// the engine's own figures are read as multiples of it.
//
// All of them map the input file and divide it among a few goroutines. These are the ideas, with
// the times with and without them, measured on 2 cores with 1 GiB of input:
//
//   - The input is mapped and never copied: WordCount takes 1.7 s instead of 2.3 s with pread.
//   - Words are found eight bytes at a time: 2.2 s instead of 3.1 s byte by byte.
//   - Entries of an open-addressing table contain the first 16 bytes of a word: 3.5 s instead of
//     6.9 s with words in an arena.
//   - Words are looked up in batches. All first probes precede the comparisons, so that cache
//     misses overlap: 2.3 s instead of 3.1 s.
//   - Pairs of an 8-byte prefix and a reference are sorted by radix: 23 ns a record instead of
//     986 ns with sort.Slice.
//   - Each record is copied once, from the input to the output, in parallel.
//
// Results are part files (part-r-00000, …), as the engine's jobs write them. The functions keep no
// state between calls, may be called concurrently, and do not change the input.
package limit
