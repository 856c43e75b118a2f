package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
)

// namedFile is a file that a flag has written beside the output.
type namedFile struct{ flag, name string }

// distinctFiles refuses files to be written that are one of the inputs, or the same one twice: opening them would destroy what is
// to be read or what another flag writes. Empty names are no files.
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

// checkReplaced refuses to replace outputs that an input lies in: the job would read what an earlier run wrote, and remove it.
func checkReplaced(src []mapreduce.Source, jobs ...*jobFlags) error {
	replaced := map[string]string{} // names by real path
	for _, j := range jobs {
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
				return usageError("--overwrite would replace %s with its input %s", shown(out), shown(s.Name()))
			}
		}
	}
	return nil
}

// checkSideFiles refuses files that would destroy an input or an output.
func (r *clusterFlags) checkSideFiles(outputs []string, src []mapreduce.Source) error {
	files := []namedFile{
		{"--events", r.events}, {"--trace-out", r.traceOut}, {"--cpuprofile", r.cpuProfile}, {"--memprofile", r.memProfile},
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
