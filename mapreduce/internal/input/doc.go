// Package input reads a job's inputs: local files, files in file systems and stores, archives,
// streams and memory, compressed or not.
//
// A [Source] is one file. Calls into the user's own code, a reader or a dfs.Source, turn panics
// into errors that name it (guardedsource.go). After the work, [Verify] reports whether a source
// has changed meanwhile.
//
// Reading order: source.go, packing.go, fsys.go, storedfiles.go, zip.go, guardedsource.go,
// stamp.go, verify.go.
package input
