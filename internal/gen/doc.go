// Package gen makes deterministic input for trying out and measuring jobs: text with a Zipf
// vocabulary, TeraSort records, web server log lines, numbers, key-value pairs, random lines and the
// tables of Hive's benchmark.
//
//	err := gen.Write(ctx, os.Stdout, gen.Config{Kind: gen.Text, Bytes: 1 << 20, Seed: 1})
//
// The same configuration gives the same bytes every time, whatever the number of cores: the output
// is cut into pieces of a fixed size, each with a random sequence of its own that depends on the
// seed and the piece's number only; Rankings do not depend on the seed. Pieces are made in parallel
// and written in order. Every output has exactly the size that was asked for, except that those of
// fixed records (TeraSort's, Documents, Rankings) hold whole ones only, and Visits no piece too
// small for a row.
//
// Patterns are what to look for in text.
//
// Read config.go, then write.go, then the kind of interest.
package gen
