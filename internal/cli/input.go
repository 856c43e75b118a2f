package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// stdinName is the argument for standard input, stdinTitle its name in messages.
const (
	stdinName  = "-"
	stdinTitle = "standard input"
)

// inputHelp describes the IN arguments.
const inputHelp = `IN is a file, a directory, a glob or - for standard input. A directory means all files below it,
ordered by name. A glob means all matching files and directories: * and ? match within a name, **
across directories, [a-z] and {one,other} as in a shell; ** does not follow symbolic links. Both
skip names that begin with _ or a dot. Files named .gz, .zst, .s2, .bz2 and .xz are decompressed; a
.zip means the files in it. A file that changes while it is read is an error, even if it only
grows. IN and --output may be in a store: hdfs://HOST/DIR or s3://BUCKET/KEY.`

// inputs opens the files that the IN arguments name, in their order.
func (p *program) inputs(ctx context.Context, args []string) ([]mapreduce.Source, error) {
	var list []mapreduce.Source
	stdin := false
	for _, arg := range args {
		if arg == stdinName {
			if stdin {
				return nil, usageError("standard input (-) can be read only once")
			}
			stdin = true
			list = append(list, mapreduce.Stream(stdinTitle, newStream(ctx, func() (io.Reader, error) { return p.stdin, nil })))
			continue
		}
		some, err := mapreduce.Files(arg)
		if bad, ok := errors.AsType[*globs.PatternError](err); ok {
			return nil, usageError("%w", bad)
		} else if err != nil {
			return nil, plainPathError("", err) // it names the file
		}
		for i, s := range some {
			if s.Size() < 0 && !stores.Named(arg) { // a named pipe, the shell's <(command) and the like
				some[i] = mapreduce.Stream(s.Name(), newStream(ctx, func() (io.Reader, error) { return os.Open(s.Name()) }))
			}
		}
		list = append(list, some...)
	}
	return list, nil
}

// openFile opens a file to read. Errors name it once.
func openFile(name string) (io.ReadCloser, error) {
	if stores.Named(name) {
		return nil, fmt.Errorf("%s: want a file of this machine", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, plainPathError(name, err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, syscall.EISDIR)
	}
	return file, nil
}

// openArgument opens a file, or standard input for -.
func (p *program) openArgument(name string) (io.ReadCloser, error) {
	if name == stdinName {
		return io.NopCloser(p.stdin), nil
	}
	return openFile(name)
}

// plainPathError returns an error as "PATH: reason", without the name of the system call.
func plainPathError(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	if strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// stream is a reader that is opened at its first read, because opening a pipe waits for its writer.
// A read ends when the context does. A read from a terminal that is waiting then continues in the
// background, and its data is lost.
type stream struct {
	*io.PipeReader

	begin func()
}

func newStream(ctx context.Context, open func() (io.Reader, error)) *stream {
	out, in := io.Pipe()
	return &stream{out, sync.OnceFunc(func() {
		context.AfterFunc(ctx, func() { _ = in.CloseWithError(context.Cause(ctx)) })
		go func() {
			r, err := open()
			if err == nil {
				_, err = io.CopyBuffer(in, struct{ io.Reader }{r}, make([]byte, 256<<10))
			}
			_ = in.CloseWithError(err)
		}()
	})}
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	s.begin()
	return s.PipeReader.Read(p)
}

const (
	binaryHead     = 32 << 10 // bytes that are checked at the beginning of a file, as in grep
	binaryWarnings = 3        // maximum number of named files
)

// warnBinary warns of files of a text job that have NUL bytes at their beginning. It skips streams,
// compressed files and files of stores, since it would read them twice.
func (p *program) warnBinary(src []mapreduce.Source) {
	head, found := make([]byte, binaryHead), 0
	for _, s := range src {
		if !s.Splittable() || stores.Named(s.Name()) {
			continue
		}
		n, _ := s.Data.ReadAt(head, 0) // the read of the map reports the error
		if bytes.IndexByte(head[:n], 0) < 0 {
			continue
		}
		if found++; found <= binaryWarnings {
			fmt.Fprintf(p.stderr, "tarry: warning: %s: binary file (it holds NUL bytes)\n", words.Printable(s.Name()))
		}
	}
	if more := found - binaryWarnings; more > 0 {
		fmt.Fprintf(p.stderr, "tarry: warning: and %d more\n", more)
	}
}
