package mapreduce

import (
	"io"
	"io/fs"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Source is one file of an input. Make it with Files, File, FS, Stream, Bytes or Stored.
type Source = input.Source

// Files returns the sources for one or more paths. Without paths the error wraps ErrNoSources.
//
// A path is a file, a directory or a glob. A directory means all files below it, sorted by name. A
// glob means the files and directories that match it, sorted, at least one: * and ? match within a
// name, ** across directories (it follows no symbolic links), [a-z], {one,other}. A path that names
// an existing file is that file, even if it looks like a glob. Directories and globs skip pipes,
// devices, and names that begin with "_" or ".", unless the glob spells that character out.
//
// A file whose name ends in .zip means the files in it, sorted by name, without names that begin
// with "_" or ".". A source is called by the archive and the file: logs.zip/monday.txt. One map
// reads each file from start to end, and decompresses it if its own name says so. Damaged archives,
// encrypted files and archives without files are errors. [FS] reads other archives, as zip.Reader.
//
// A path may also be in an object store whose package the program imports, such as
// s3://BUCKET/logs/*.gz; see package stores.
func Files(paths ...string) ([]Source, error) {
	return input.Files(paths...)
}

// File returns the source for a local file; it serves any number of jobs. A file that is not
// regular, such as a named pipe, or does not report its size, as under /proc, becomes a stream. See
// Stored for compressed files.
//
// Each job reads the file as it was when the job was bound. If the file changes while the job runs,
// even by growing, the job fails with ErrInputChanged, unless it has read the file already. If
// another file replaces it by a rename, the job may read the old file to its end.
func File(path string) (Source, error) {
	return input.File(path)
}

// Stored returns the source for a file that dfs holds or maps. The extension of its name, in any
// case, determines the compression: .gz, .zst, .s2, .bz2 or .xz; the first bytes must agree. The
// plan closes data when the job ends, so it serves one job. A panic of data's methods becomes an
// error of the attempt that called them.
func Stored(data dfs.Source) (Source, error) {
	return input.Stored(data)
}

// Stream returns a source that reads r once, as one split, such as standard input. A second attempt
// fails with ErrConsumed.
func Stream(name string, r io.Reader) Source {
	return input.Stream(name, r)
}

// Bytes returns a source over data, which must not change while the job runs.
func Bytes(name string, data []byte) Source {
	return input.Bytes(name, data)
}

// FS returns the sources for files of a file system, such as an embed.FS, a zip.Reader or an
// os.DirFS. Patterns are as in [Files], with the file system's names ("." is all of it). Without
// patterns the error wraps ErrNoSources. For files of this machine Files is faster, because it maps
// them.
//
// Files with ReadAt or Seek can be split. One map reads each other file, such as one in a zip
// archive, from start to end; another attempt opens it again. fsys must be safe for concurrent use.
// If a file's size or modification time changes while a job runs, the job fails with
// ErrInputChanged. The sources serve any number of jobs.
func FS(fsys fs.FS, patterns ...string) ([]Source, error) {
	return input.FS(fsys, patterns...)
}
