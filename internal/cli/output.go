package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// stdoutName is the value of --output for standard output, stdoutTitle its name in messages.
const (
	stdoutName  = "-"
	stdoutTitle = "standard output"
)

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

// openRecord creates the file of --events before anything runs; it returns nil for an empty name.
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

// sink returns the function that records a cluster's events; nil without a file.
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

// sameFile reports whether two names mean one file, which need not exist. Several flags may share a
// device. Empty names mean no file.
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
