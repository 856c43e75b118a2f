package main

import (
	"os"
	"path/filepath"
)

// realPath is the one name of what a path means, which need not exist: absolute, without symbolic links as far as
// there is anything.
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

// outputs tells which line of a batch writes where.
type outputs struct {
	lines map[string]int // by real path
	above map[string]int // by each directory that such a path is below
}

// add notes an output, unless it is that of another line, or one is in the other.
func (o *outputs) add(name string, line int) error {
	if o.lines == nil {
		o.lines, o.above = map[string]int{}, map[string]int{}
	}
	path := realPath(name)
	if other := o.lines[path]; other > 0 {
		return usageError("output %s is that of line %d already", shown(name), other)
	}
	if other := o.above[path]; other > 0 {
		return usageError("output of line %d is within that of this line, %s", other, shown(name))
	}
	o.lines[path] = line
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		if other := o.lines[at]; other > 0 {
			return usageError("output %s is within that of line %d", shown(name), other)
		}
		o.above[at] = line
		if filepath.Dir(at) == at {
			return nil
		}
	}
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
