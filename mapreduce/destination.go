package mapreduce

import (
	"io"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Destination is where an output goes. A destination serves one job: a second one finds the
// directory there (ErrOutputExists), or is told that the Writer or Collected is used
// (ErrDestinationUsed).
type Destination = output.Destination

// Dir is a directory of this machine, which must not exist yet, unless a run that was
// killed has left it unfinished: that is cleaned. Of jobs that want the same directory at
// the same time one gets it, the others ErrOutputExists.
//
// It may be of a store that the program has imported, such as s3://BUCKET/counts: see package stores.
// What a killed run has left there is not cleaned: nobody can tell that it is not at work.
func Dir(dir string) Destination { return output.Dir(dir) }

// ReplacedDir is a directory of this machine that takes the place of an earlier output of
// that name, if there is one, when the job succeeds, in one step where the system can.
// Until then the earlier output stays, and the new one is beside it as _NAME.new. What does
// not look like the output of a job is not replaced.
//
// In a store (see [Dir]) the earlier output is removed when all parts of the new one are written, and
// then these are made visible, _SUCCESS last: between the two there is neither.
func ReplacedDir(dir string) Destination { return output.ReplacedDir(dir) }

// InDFS is a directory of a dfs, which must not exist yet; parts are stored in
// its usual blocks and replicas.
func InDFS(fsys *dfs.FS, dir string) Destination { return output.InDFS(fsys, dir) }

// InFS is a directory of another file system, such as a dfs; it must not exist yet.
func InFS(fsys OutputFS, dir string) Destination { return output.InFS(fsys, dir) }

// Writer sends parts to w in the order of their tasks, each as soon as it and
// all before it are committed; w is not closed. Of a job that fails, w keeps
// the parts sent so far. An error of w, or a panic, is Permanent: what was sent cannot be
// sent again. name is what a person calls w, such as "-".
func Writer(name string, w io.Writer) Destination { return output.Writer(name, w) }

// OutputFS is a file system that outputs can be written to. Names are slash
// separated. Its methods must be safe for concurrent use. One that also has
//
//	Append(name string) (io.WriteCloser, error)
//
// can write on a file that was closed, as [Routed] asks for beyond 64 names.
type OutputFS = output.FS

// PartFile is the file of one attempt's part while the user's own [PartWriter] writes it: an
// [io.Writer], or the path of a file for code that opens files by name. It serves one goroutine at a
// time, until Close or Abort of the writer returns.
type PartFile = output.PartFile

// Compression is how output parts are compressed.
type Compression = output.Compression

// The compressions of output.
const (
	NoCompression = output.NoCompression
	Gzip          = output.Gzip
	Zstd          = output.Zstd
	S2            = output.S2
)
