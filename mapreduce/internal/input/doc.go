// Package input gives the bytes of a job's inputs: files of this machine, of file systems and stores,
// archives, streams and memory, packed or not.
//
// A [Source] is one file. What the user's own code supplies, a reader or a dfs.Source, is called such
// that its panics are errors that name it (foreign.go). [Verify] tells, when work has ended, whether a
// source has changed meanwhile. Reading order: source.go, packing.go, fsys.go, storedfiles.go, zip.go,
// foreign.go, stamp.go, verify.go.
package input
