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

// stdoutName is what --output says for standard output, and stdoutTitle what messages call it.
const (
	stdoutName  = "-"
	stdoutTitle = "standard output"
)

// openOutput is where a run writes: a new directory, one that takes the place of an earlier output
// when it is complete, or standard output. An output that exists is refused.
func (p *program) openOutput(j *jobFlags, m saved, stage int) (to mapreduce.Destination, err error) {
	if to = j.directory(); j.output == stdoutName {
		to = mapreduce.Writer(stdoutTitle, p.stdout)
	}
	to = m.resumable(to, stage)
	if !worker.Asked() { // whose output is there already
		err = to.Check()
	}
	if err == nil {
		return to.Compressed(j.packed), nil
	}
	if info, bad := os.Stat(j.output); bad == nil && info.Mode().IsRegular() {
		return to, configError("%s is a file: the output is a directory of parts (> FILE without --output makes one file)",
			words.Shown(j.output))
	}
	if errors.Is(err, mapreduce.ErrOutputExists) && !errors.Is(err, cluster.ErrOutputBusy) && !j.overwrite {
		return to, configError("%w (--overwrite replaces it)", err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		err = plainPathError(filepath.Clean(j.output), err)
	}
	return to, configError("%w", err)
}

// directory is the output as a directory.
func (j *jobFlags) directory() mapreduce.Destination {
	if j.overwrite {
		return mapreduce.ReplacedDir(j.output)
	}
	return mapreduce.Dir(j.output)
}

// outputError is an error about a file or directory to be written: what cannot be made is
// configuration.
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

// writeFile has fill write a file, made or replaced as the flag of os.OpenFile says: os.O_EXCL or
// os.O_TRUNC. Half a file is not left.
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

// openRecord creates the file of --events, before anything runs; an empty name is none.
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

// sink is what a cluster calls to record what happens; nil without a file.
func sink(file *eventlog.File) func(actors.Event) {
	if file == nil {
		return nil
	}
	return func(e actors.Event) {
		if e.Began != nil {
			began := *e.Began
			version, _ := readVersion()
			began.Program = "tarry " + version
			e.Began = &began
		}
		file.Write(e)
	}
}

// namedFile is a file that a flag has written beside the output.
type namedFile struct{ flag, name string }

// distinctFiles refuses files to be written that are one of the inputs, or the same one twice:
// opening them would destroy what is to be read or what another flag writes. Empty names are no
// files.
func distinctFiles(files []namedFile, inputs []string) error {
	for i, f := range files {
		if f.name == "" {
			continue
		}
		for _, other := range files[:i] {
			if other.name != "" && sameFile(f.name, other.name) {
				return usageError("%s and %s are one file: %s", other.flag, f.flag, f.name)
			}
		}
		info, err := os.Stat(f.name)
		if err != nil || !info.Mode().IsRegular() {
			continue // what does not exist is no input; pipes and devices are written to as they are
		}
		for _, in := range inputs {
			if there, err := os.Stat(in); err == nil && os.SameFile(info, there) {
				return usageError("%s %s would overwrite an input", f.flag, f.name)
			}
		}
	}
	return nil
}

// sameFile tells whether two names mean one file, which need not exist. Devices may be shared.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	return errA != nil && errB != nil && realPath(a) == realPath(b)
}

// realPath is the one name of what a path means, which need not exist: absolute, without symbolic
// links as far as there is anything.
func realPath(name string) string {
	full, err := filepath.Abs(name)
	if err != nil { // without a working directory
		full = filepath.Clean(name)
	}
	below := ""
	for at := full; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, below)
		}
		if filepath.Dir(at) == at {
			return full
		}
		below = filepath.Join(filepath.Base(at), below)
	}
}

// checkReplaced refuses to replace an output that an input lies in: the job would read what an
// earlier run wrote, and remove it.
func (j *jobFlags) checkReplaced(src []mapreduce.Source) error {
	if _, err := os.Lstat(j.output); !j.overwrite || err != nil && !stores.Named(j.output) {
		return nil
	}
	real := map[string]string{} // of directories: most inputs share theirs
	output := realPath(j.output)
	for _, s := range src {
		within := strings.HasPrefix(s.Name(), stores.Clean(j.output)+"/")
		if info, err := os.Lstat(s.Name()); err == nil && !stores.Named(j.output) {
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
			return usageError("--overwrite would replace %s with its input %s", words.Shown(j.output), words.Shown(s.Name()))
		}
	}
	return nil
}

// checkEvents refuses a file of events that would destroy an input or an output.
func checkEvents(events, output string, src []mapreduce.Source) error {
	if events == "" {
		return nil
	}
	var inputs []string
	for _, s := range src {
		inputs = append(inputs, s.Name())
	}
	return distinctFiles([]namedFile{{"--output", output}, {"--events", events}}, inputs)
}
