package mapreduce

import (
	"io"
	"io/fs"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// Source is one file of an input. Make it with Files, File, FS, Zip, Stream, Bytes or Stored.
type Source = input.Source

// Files returns sources for paths, at least one; none is an error that wraps ErrNoSources.
//
// A path is a file, a directory or a glob. A directory stands for all files below it, in order of
// name. A glob stands for the files and directories that match it, sorted, at least one: * and ?
// within a name, ** across directories (it follows no symbolic links), [a-z], {one,other}. A file
// that is there is itself, whatever its name. Directories and globs pass over names that begin with
// "_" or ".", unless the glob spells that out, over pipes and over devices.
//
// A path may be of a store that the program has imported, such as s3://BUCKET/logs/*.gz: see package
// stores.
func Files(paths ...string) ([]Source, error) {
	return input.Files(paths...)
}

// File returns a source for a local file, for any number of jobs. What is no regular file, such as
// a named pipe, or does not tell its size, as under /proc, becomes a stream. See Stored for
// compressed files.
//
// Each job reads the file as it was when the job was bound. If it changes while the job runs, be it
// that it grows, the job fails with ErrInputChanged, unless it had read the file by then; one that
// is replaced by renaming another may also be read to its end.
func File(path string) (Source, error) {
	return input.File(path)
}

// Stored returns a source for a file that dfs holds or maps. The extension of its
// name tells whether it is compressed: .gz, .zst, .s2, .bz2 or .xz, in small letters or capitals; the
// first bytes must agree. The plan closes data when the job ends, so it serves one job. A panic
// of data's methods is an error of the attempt that called them.
func Stored(data dfs.Source) (Source, error) {
	return input.Stored(data)
}

// Stream returns a source that reads r once, as one split, such as standard
// input. A second attempt over it fails with ErrConsumed.
func Stream(name string, r io.Reader) Source {
	return input.Stream(name, r)
}

// Bytes returns a source over data, which must not change while the job runs.
func Bytes(name string, data []byte) Source {
	return input.Bytes(name, data)
}

// FS returns sources for files of a file system, such as an embed.FS, a zip.Reader or an os.DirFS,
// as [Files] does for those of this machine: a pattern is a file, a directory or a glob, and names
// the file system's way ("." is all of it). No patterns are an error that wraps ErrNoSources. For
// files of this machine Files is faster, for it maps them.
//
// Files with ReadAt or Seek are cut into splits. Others, such as those in a zip archive, are read
// from start to end by one map; a further attempt opens them again. fsys must be safe for
// concurrent use. A file whose size or time of modification changes while a job runs fails the job
// with ErrInputChanged. The sources serve any number of jobs.
func FS(fsys fs.FS, patterns ...string) ([]Source, error) {
	return input.FS(fsys, patterns...)
}

// Zip returns sources for the files in a zip archive of this machine, in order of name, each called
// as the archive and then the file: logs.zip/monday.txt. It passes over directories and over names
// that begin with "_" or ".", as [Files] does. Each is read from start to end by one map, and
// decompressed as its own name says, too. Archives that are damaged, files that are encrypted, and an
// archive without files, are errors.
//
// [FS] reads an archive by patterns, and one that is not a file of this machine.
func Zip(archive string) ([]Source, error) {
	return input.Zip(archive)
}
