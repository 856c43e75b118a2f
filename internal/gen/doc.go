// Package gen generates deterministic input for testing and measuring jobs: text with a Zipf
// vocabulary, TeraSort records, web server log lines, numbers, key-value pairs, random lines and
// the tables of Hive's benchmark.
//
//	err := gen.Write(ctx, os.Stdout, gen.Config{Kind: gen.Text, Bytes: 1 << 20, Seed: 1})
//
// The same configuration always gives the same bytes, whatever the number of cores: the output
// consists of pieces of a fixed size, each with a random sequence that depends only on the seed and
// the piece's number; Rankings do not depend on the seed. Pieces are generated in parallel and
// written in order. Every output has exactly the requested size, with two exceptions: outputs of
// fixed-size records (TeraSort's, Documents, Rankings) contain only whole records, and Visits have
// no piece too small for a row.
//
// Patterns are search patterns for text.
//
// Read config.go, then write.go, then the kind of interest.
package gen
