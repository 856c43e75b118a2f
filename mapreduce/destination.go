package mapreduce

import (
	"io"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Destination is where an output is written. A destination serves one job. A second job fails with
// ErrOutputExists if it is a directory, or with ErrDestinationUsed if it is a Writer or Collected.
type Destination = output.Destination

// Dir is a directory on this machine, which must not exist. It appears when the job succeeds; until
// then the output is beside it as _NAME.new. What a killed run has left there is removed. If
// several jobs write to the same directory at the same time, one succeeds and the others fail with
// ErrOutputExists.
//
// dir may also be in an object store whose package the program imports, such as s3://BUCKET/counts;
// see package stores. An unfinished output there is not cleaned, because its job may still be
// running.
func Dir(dir string) Destination { return output.Dir(dir) }

// ReplacedDir is [Dir], but replaces an earlier output of the same name, if one exists, when the
// job succeeds: atomically where the system can. A directory that does not look like the output of
// a job is not replaced.
//
// In an object store (see [Dir]) the job writes all new parts, removes the earlier output, and then
// makes the new parts visible, _SUCCESS last. Between removal and _SUCCESS neither output exists as
// a whole.
func ReplacedDir(dir string) Destination { return output.ReplacedDir(dir) }

// InDFS is a directory of a dfs; it must not exist. Parts are stored in the usual blocks and
// replicas of the dfs.
func InDFS(fsys *dfs.FS, dir string) Destination { return output.InDFS(fsys, dir) }

// Writer sends parts to w in the order of their tasks, each as soon as it and all parts before it
// are committed. It does not close w. If the job fails, w keeps the parts sent so far. An error or
// panic of w is Permanent, because sent bytes cannot be sent twice. name describes w in messages,
// such as "-".
func Writer(name string, w io.Writer) Destination { return output.Writer(name, w) }

// PartFile is the file of a part that the user's [PartWriter] writes: an [io.Writer], or a path for
// code that opens files by name. It serves one goroutine at a time, until Close or Abort of the
// writer returns.
type PartFile = output.PartFile

// Compression is the compression of output parts.
type Compression = output.Compression

// The compressions of output.
const (
	NoCompression = output.NoCompression
	Gzip          = output.Gzip
	Zstd          = output.Zstd
	S2            = output.S2
)
