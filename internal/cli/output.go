package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce"
)

// stdoutName is what --output says for standard output, and stdoutTitle what messages call it.
const (
	stdoutName  = "-"
	stdoutTitle = "standard output"
)

// openOutput is where a run writes: a new directory, one that takes the place of an earlier output
// when it is complete, or standard output. An output that exists is refused.
func (p *program) openOutput(r *jobFlags, stages int) (to mapreduce.Destination, err error) {
	packed, err := mapreduce.ParseCompression(r.compress)
	if err != nil {
		return to, usageError("--compress: %w", err)
	}
	if r.output == stdoutName {
		to = mapreduce.Writer(stdoutTitle, p.stdout)
	} else {
		to = r.directory()
	}
	to = r.saved.resumable(to, stages-1)
	if !worker.Asked() { // whose output is there already
		err = to.Check()
	}
	if err == nil {
		return to.Compressed(packed), nil
	}
	if info, bad := os.Stat(r.output); bad == nil && info.Mode().IsRegular() {
		return to, configError("%s is a file: the output is a directory of parts (> FILE without --output makes one file)",
			words.Shown(r.output))
	}
	replaceable := errors.Is(err, mapreduce.ErrOutputExists) && !errors.Is(err, mapreduce.ErrOutputBusy)
	if replaceable && !r.overwrite {
		return to, configError("%w (--overwrite replaces it)", err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		err = plainPathError(filepath.Clean(r.output), err)
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

// record writes what happens in a live or simulated cluster to the files asked for: events as JSON
// lines, and a Chrome trace. Its sink is called from one goroutine at a time; close comes after the
// last call.
type record struct {
	files []recordFile
	err   error // the first that happened; later events are dropped
}

// recordFile is a file of a record, and the flag that asks for it.
type recordFile struct {
	flag string
	file interface {
		Write(e actors.Event) error
		Close() error
	}
}

// openRecord creates the files, before anything runs.
func openRecord(events, traceOut string) (*record, error) {
	rec := new(record)
	if events != "" {
		file, err := eventlog.Create(events)
		if err != nil {
			return nil, configError("--events: %w", plainPathError(events, err))
		}
		rec.files = append(rec.files, recordFile{"--events", file})
	}
	if traceOut != "" {
		file, err := createTrace(traceOut)
		if err != nil {
			return nil, errors.Join(err, rec.close())
		}
		rec.files = append(rec.files, recordFile{"--trace-out", file})
	}
	return rec, nil
}

// createTrace makes the file for a Chrome trace.
func createTrace(name string) (*eventlog.Trace, error) {
	trace, err := eventlog.CreateTrace(name)
	if err != nil {
		return nil, configError("--trace-out: %w", plainPathError(name, err))
	}
	return trace, nil
}

// sink is what a cluster calls, or nil if nothing is recorded.
func (rec *record) sink() func(actors.Event) {
	if len(rec.files) == 0 {
		return nil
	}
	return func(e actors.Event) {
		if e.Began != nil {
			began := *e.Began
			began.Program = "tarry " + readVersion().Version
			e.Began = &began
		}
		for _, f := range rec.files {
			if rec.err != nil {
				return
			}
			if err := f.file.Write(e); err != nil {
				rec.err = fmt.Errorf("%s: %w", f.flag, err)
			}
		}
	}
}

// close finishes the files and tells what went wrong with them.
func (rec *record) close() error {
	errs := []error{rec.err}
	for _, f := range rec.files {
		errs = append(errs, f.file.Close())
	}
	return errors.Join(errs...)
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

// checkReplaced refuses to replace outputs that an input lies in: the job would read what an
// earlier run wrote, and remove it.
func checkReplaced(src []mapreduce.Source, jobs ...*jobFlags) error {
	replaced := map[string]string{} // names by real path
	for _, j := range jobs {
		if stores.Named(j.output) && j.overwrite {
			if err := checkReplacedInStore(src, j.output); err != nil {
				return err
			}
			continue
		}
		if _, err := os.Lstat(j.output); j.overwrite && err == nil {
			replaced[realPath(j.output)] = j.output
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	real := map[string]string{} // of directories: most inputs share theirs
	for _, s := range src {
		info, err := os.Lstat(s.Name())
		if err != nil {
			continue // no file
		}
		dir := filepath.Dir(s.Name())
		if info.Mode()&os.ModeSymlink != 0 {
			dir = filepath.Dir(realPath(s.Name()))
		}
		if _, known := real[dir]; !known {
			real[dir] = realPath(dir)
		}
		for at := real[dir]; filepath.Dir(at) != at; at = filepath.Dir(at) {
			if out, found := replaced[at]; found {
				in := words.Shown(s.Name())
				return usageError("--overwrite would replace %s with its input %s", words.Shown(out), in)
			}
		}
	}
	return nil
}

// checkReplacedInStore is checkReplaced for an output in a store.
func checkReplacedInStore(src []mapreduce.Source, output string) error {
	for _, s := range src {
		if strings.HasPrefix(s.Name(), stores.Clean(output)+"/") {
			return usageError("--overwrite would replace %s with its input %s", words.Shown(output), words.Shown(s.Name()))
		}
	}
	return nil
}

// checkSideFiles refuses files that would destroy an input or an output.
func (r *clusterFlags) checkSideFiles(outputs []string, src []mapreduce.Source) error {
	files := []namedFile{
		{"--events", r.events},
		{"--trace-out", r.traceOut},
		{"--cpuprofile", r.cpuProfile},
		{"--memprofile", r.memProfile},
	}
	if !slices.ContainsFunc(files, func(f namedFile) bool { return f.name != "" }) {
		return nil
	}
	inputs := []string{r.allocations, r.queues, r.parameters}
	for _, s := range src {
		inputs = append(inputs, s.Name())
	}
	for _, out := range outputs {
		if err := distinctFiles(append([]namedFile{{"--output", out}}, files...), nil); err != nil {
			return err
		}
	}
	return distinctFiles(files, inputs)
}
