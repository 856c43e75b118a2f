package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// stdinName is what an argument says for standard input, and stdinTitle what messages call it.
const (
	stdinName  = "-"
	stdinTitle = "standard input"
)

// inputHelp describes what the IN arguments may be.
const inputHelp = `IN is a file, a directory, a glob or - for standard input. A directory stands for all files below
it, in order of name, a glob for the files and directories that match it: * and ? within a name, **
across directories, [a-z], {one,other}; ** does not follow symbolic links. Both pass over names that
begin with _ or a dot. Files named .gz, .zst, .s2, .bz2 and .xz are decompressed; one named .zip
stands for the files in it. A file that changes while it is read is an error, even if it only grows.
IN and --output may be of a store, hdfs://HOST/DIR or s3://BUCKET/KEY.`

// inputs opens what the IN arguments name, in their order.
func (p *program) inputs(ctx context.Context, args []string) ([]mapreduce.Source, error) {
	var list []mapreduce.Source
	stdin := false
	for _, arg := range args {
		if arg == stdinName {
			if stdin {
				return nil, usageError("standard input (-) can be read only once")
			}
			stdin = true
			list = append(list, mapreduce.Stream(stdinTitle, &interruptible{ctx: ctx, r: p.stdin}))
			continue
		}
		some, err := inputsOf(ctx, arg)
		if bad, ok := errors.AsType[*globs.PatternError](err); ok {
			return nil, usageError("%w", bad)
		} else if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

// inputsOf opens what one argument names.
func inputsOf(ctx context.Context, arg string) ([]mapreduce.Source, error) {
	if stores.Named(arg) {
		list, err := mapreduce.Files(arg)
		for _, s := range list {
			if isZip(s.Name()) {
				return nil, fmt.Errorf("%s: zip archives are read from files of this machine: get it first", s.Name())
			}
		}
		return list, err
	}
	paths, err := globs.Expand(arg)
	if err != nil {
		return nil, plainPathError(arg, err)
	}
	var list []mapreduce.Source
	for _, path := range paths {
		some, err := open(ctx, path)
		if err != nil {
			return nil, plainPathError(path, err)
		}
		list = append(list, some...)
	}
	return list, nil
}

// isZip tells whether a file is a zip archive by its name.
func isZip(name string) bool { return strings.EqualFold(path.Ext(name), ".zip") }

// open opens a file, or all those of a zip archive. What is no regular file, such as a named pipe or the shell's <(command), is a
// stream, which a signal can interrupt.
func open(ctx context.Context, path string) ([]mapreduce.Source, error) {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		if isZip(path) {
			return mapreduce.Zip(path)
		}
		if s, err := mapreduce.File(path); err != nil || s.Size() >= 0 {
			return []mapreduce.Source{s}, err
		}
	}
	late := lateFile(sync.OnceValues(func() (*os.File, error) { return os.Open(path) }))
	return []mapreduce.Source{mapreduce.Stream(path, &interruptible{ctx: ctx, r: late})}, nil
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

// openArgument opens what an argument names: a file, or standard input for -.
func (p *program) openArgument(name string) (io.ReadCloser, error) {
	if name == stdinName {
		return io.NopCloser(p.stdin), nil
	}
	return openFile(name)
}

// plainPathError says about an input "PATH: what is wrong", without the system call.
func plainPathError(path string, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	if strings.Contains(err.Error(), path) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// lateFile is a file that is opened when it is first read: opening a pipe waits for its writer.
type lateFile func() (*os.File, error)

// Read implements io.Reader.
func (open lateFile) Read(p []byte) (int, error) {
	file, err := open()
	if err != nil {
		return 0, err
	}
	return file.Read(p)
}

// interruptible is a reader whose Read ends when the context does, even if the reader below waits
// for a terminal. The read below then goes on by itself and is lost.
type interruptible struct {
	ctx     context.Context
	r       io.Reader
	buf     []byte
	pending chan readResult
	rest    []byte
}

type readResult struct {
	n   int
	err error
}

// Read implements io.Reader.
func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.rest) > 0 {
		n := copy(p, i.rest)
		i.rest = i.rest[n:]
		return n, nil
	}
	if i.pending == nil {
		i.buf, i.pending = make([]byte, 256<<10), make(chan readResult, 1)
	}
	go func() {
		n, err := i.r.Read(i.buf)
		i.pending <- readResult{n, err}
	}()
	select {
	case got := <-i.pending:
		n := copy(p, i.buf[:got.n])
		if i.rest = i.buf[n:got.n]; len(i.rest) > 0 {
			return n, nil // the error, if any, comes again
		}
		return n, got.err
	case <-i.ctx.Done():
		return 0, context.Cause(i.ctx)
	}
}
