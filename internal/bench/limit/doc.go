// Package limit holds the hand-tuned, single-purpose programs that Tarry is measured against:
// WordCount, TeraSort, a sort of text lines and grep, each written directly for its task, with no
// engine, no scheduling, no commit and no memory budget. What they reach on a machine is the
// *limit* column of `make bench`; the engine's own figures are read as multiples of it.
//
// All of them map the input file and divide it among a few goroutines. The ideas, with the gain
// each brought when it was measured (2 cores, 1 GiB of input):
//
//   - input mapped and sliced, never copied: WordCount 2.3 s with pread, 1.7 s mapped;
//   - words found eight bytes at a time: 3.1 s byte by byte, 2.2 s so;
//
// - an open-addressing table with the first 16 bytes of a word in the entry: 6.9 s with the key in
// an
//
//	arena, 3.5 s inline;
//
// - words looked up in batches whose first probes are all issued before any is compared, so that
// cache
//
//	misses overlap: 3.1 s one by one, 2.3 s in batches;
//
// - sorting {8-byte prefix, reference} by radix: 23 ns a record against 986 ns for sort.Slice of
// pairs;
//   - one copy of each record, from its place in the input to its place in the output, in parallel;
//
// - grep searches whole chunks for the rarest byte of a literal and looks for line ends only around
// hits.
//
// Results are written as part files (part-r-00000, …), the same files the engine's jobs leave. The
// functions keep no state between calls and may be called concurrently; the input slice is only
// read.
package limit
