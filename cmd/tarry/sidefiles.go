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

// sameFile tells whether two names mean one file, which need not exist. Devices may be shared.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return x.Mode().IsRegular() && os.SameFile(x, y)
	}
	fullA, _ := filepath.Abs(a) // without a working directory the names are compared
	fullB, _ := filepath.Abs(b)
	return errA != nil && errB != nil && fullA == fullB
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
