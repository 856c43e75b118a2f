package workload

import (
	"errors"
	"fmt"
)

// maxFaults is the number of mistakes that Faults keeps.
const maxFaults = 20

// Faults collects the mistakes in a description of jobs or of a cluster. It keeps the first twenty
// and counts the others.
type Faults struct {
	Of   error // which each mistake wraps and begins with
	list []error
	more int
}

// Check adds a mistake unless ok.
func (f *Faults) Check(ok bool, format string, args ...any) {
	switch {
	case ok:
	case len(f.list) < maxFaults:
		f.list = append(f.list, fmt.Errorf("%w: %s", f.Of, fmt.Sprintf(format, args...)))
	default:
		f.more++
	}
}

// Err returns the mistakes, joined; nil if there are none.
func (f *Faults) Err() error {
	if f.more == 0 {
		return errors.Join(f.list...)
	}
	return errors.Join(append(f.list, fmt.Errorf("%w: and %d more faults", f.Of, f.more))...)
}
