package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/globs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Standard input and output as arguments, and in messages.
const (
	stdinName, stdinTitle   = "-", "standard input"
	stdoutName, stdoutTitle = "-", "standard output"
)

// inputHelp describes the IN arguments.
const inputHelp = `IN is a file, a directory, a glob or - for standard input. A directory means all files below it,
ordered by name. A glob means all matching files and directories: * and ? match within a name, **
across directories, [a-z] and {one,other} as in a shell; ** does not follow symbolic links. Both
skip names that begin with _ or a dot. Files named .gz, .zst, .s2, .bz2 and .xz are decompressed; a
.zip means the files in it. A file that changes while it is read is an error, even if it only
grows. IN and --output may be in a store: hdfs://HOST/DIR or s3://BUCKET/KEY.`

// inputs returns the files that the IN arguments mean as sources for a job, in their order.
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

// openFile opens a file of this machine to read. It rejects directories; errors name the file once.
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

// readConfig parses a configuration file by read. Every error exits with exitConfig.
func readConfig[T any](name string, read func(in io.Reader, name string) (T, error)) (config T, err error) {
	in, err := openFile(name)
	if err == nil {
		defer in.Close()
		config, err = read(in, name)
	}
	return config, invalid(err)
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

// stream opens its data at the first Read, because opening a named pipe waits for its writer. If
// the context ends, Read fails. A read from a terminal that still waits then continues in the
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
	binaryHead     = 32 << 10 // bytes of a file's start that are searched for NUL, as in grep
	binaryWarnings = 3        // warnings that name a file; one more tells the number of others
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

// openOutput returns the destination of a run: a new directory, one that replaces an earlier output
// when it is complete, or standard output. It rejects an existing output.
func (p *program) openOutput(j *jobFlags, m saved, stage int) (to mapreduce.Destination, err error) {
	if to = j.directory(); j.Output == stdoutName {
		to = mapreduce.Writer(stdoutTitle, p.stdout)
	}
	to = m.resumable(to, stage)
	if !worker.IsWorker() { // the submitting process has created the output
		err = to.Check()
	}
	if err == nil {
		return to.Compressed(j.Compress), nil
	}
	if info, bad := os.Stat(j.Output); bad == nil && info.Mode().IsRegular() {
		return to, configError("%s is a file: the output is a directory of parts (> FILE without --output makes one file)",
			words.Shown(j.Output))
	}
	if errors.Is(err, mapreduce.ErrOutputExists) && !errors.Is(err, cluster.ErrOutputBusy) && !j.Overwrite {
		return to, configError("%w (--overwrite replaces it)", err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		err = plainPathError(filepath.Clean(j.Output), err)
	}
	return to, configError("%w", err)
}

// directory returns the output directory as a destination.
func (j *jobFlags) directory() mapreduce.Destination {
	if j.Overwrite {
		return mapreduce.ReplacedDir(j.Output)
	}
	return mapreduce.Dir(j.Output)
}

// outputError returns an error about a file or directory to be written. If it cannot be created,
// the error is one of configuration.
func outputError(name string, err error) error {
	var known *exitError
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrExist):
		return configError("%s: output exists (--overwrite replaces it)", name)
	case errors.As(err, &link):
		return configError("%s: %w", name, link.Err)
	case errors.As(err, &at) && at.Op != "write" && at.Op != "close":
		return configError("%s: %w", name, at.Err)
	}
	return err
}

// writeFile lets fill write a file. flag is os.O_EXCL to create it or os.O_TRUNC to replace it.
// After an error the incomplete file is removed.
func writeFile(name string, flag int, fill func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, 0o666)
	if err != nil {
		return outputError(name, err)
	}
	info, bad := file.Stat()
	if err = firstError(fill(file), file.Close()); err != nil && bad == nil && info.Mode().IsRegular() {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// openRecord creates the file of --events before any work; it returns nil for an empty name.
func openRecord(name string) (*eventlog.File, error) {
	if name == "" {
		return nil, nil
	}
	file, err := eventlog.Create(name)
	if err != nil {
		return nil, configError("--events: %w", plainPathError(name, err))
	}
	return file, nil
}

// sink returns a function that writes each event to file, or nil if file is nil.
func sink(file *eventlog.File) func(actors.Event) {
	if file == nil {
		return nil
	}
	return func(e actors.Event) {
		if e.Began != nil {
			began := *e.Began
			began.Program = "tarry " + readVersion()
			e.Began = &began
		}
		file.Write(e)
	}
}

// namedFile is a file that a flag names, besides the output.
type namedFile struct{ flag, name string }

// distinctFiles rejects output files that are one of the inputs or that two flags share: opening
// them would destroy an input or the file of another flag.
func distinctFiles(files []namedFile, inputs []string) error {
	for i, f := range files {
		for _, other := range files[:i] {
			if sameFile(f.name, other.name) {
				return usageError("%s and %s are one file: %s", other.flag, f.flag, f.name)
			}
		}
		for _, in := range inputs {
			if sameFile(f.name, in) {
				return usageError("%s %s would overwrite an input", f.flag, f.name)
			}
		}
	}
	return nil
}

// sameFile reports whether two names mean the same regular file, which need not exist. It is false
// for devices, which several flags may share, and for empty names.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	return errA != nil && errB != nil && a != "" && b != "" && realPath(a) == realPath(b)
}

// realPath returns the absolute path without symbolic links; its last element need not exist.
func realPath(name string) string {
	full, err := filepath.Abs(name)
	if err != nil { // the working directory does not exist
		full = filepath.Clean(name)
	}
	for _, at := range []string{full, filepath.Dir(full)} {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, strings.TrimPrefix(full, at))
		}
	}
	return full
}

// checkReplaced rejects --overwrite if an input is inside the output: the job would remove its own
// input.
func (j *jobFlags) checkReplaced(src []mapreduce.Source) error {
	if _, err := os.Lstat(j.Output); !j.Overwrite || err != nil && !stores.Named(j.Output) {
		return nil
	}
	real := map[string]string{} // by directory, since most inputs share one
	output := realPath(j.Output)
	for _, s := range src {
		within := strings.HasPrefix(s.Name(), stores.Clean(j.Output)+"/")
		if info, err := os.Lstat(s.Name()); err == nil && !stores.Named(j.Output) {
			dir := filepath.Dir(s.Name())
			if info.Mode()&os.ModeSymlink != 0 {
				dir = filepath.Dir(realPath(s.Name()))
			}
			if real[dir] == "" {
				real[dir] = realPath(dir)
			}
			within = real[dir] == output || strings.HasPrefix(real[dir], output+string(filepath.Separator))
		}
		if within {
			return usageError("--overwrite would replace %s with its input %s", words.Shown(j.Output), words.Shown(s.Name()))
		}
	}
	return nil
}

// checkEvents rejects a file of --events that is an input or the output.
func checkEvents(events, output string, src []mapreduce.Source) error {
	var inputs []string
	for _, s := range src {
		if events != "" {
			inputs = append(inputs, s.Name())
		}
	}
	return distinctFiles([]namedFile{{"--output", output}, {"--events", events}}, inputs)
}
