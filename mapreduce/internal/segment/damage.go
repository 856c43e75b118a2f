package segment

import (
	"errors"
	"slices"
)

// DamageError is the error of a merge of damaged spills. It names all damaged inputs, so that the
// caller can recompute them together. It wraps [ErrCorrupt].
type DamageError struct {
	// Inputs are the numbers of the damaged segments (AddInput), ascending. It is empty if the
	// damage is in a run of the merge itself, or was not found again.
	Inputs []int
	Err    error // the first damage found
}

// Error returns the first damage found.
func (e *DamageError) Error() string { return e.Err.Error() }

// Unwrap returns the first damage found.
func (e *DamageError) Unwrap() error { return e.Err }

// noInput is run.input of a run that the merge wrote itself.
const noInput = -1

// explain turns err, if it is of a damaged spill, into a DamageError. It reads all inputs once to
// find every damaged one.
func (m *Merge) explain(err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	d := &DamageError{Err: err}
	for i := range m.runs {
		r := &m.runs[i]
		if r.spill == nil || r.input < 0 || slices.Contains(d.Inputs, r.input) {
			continue
		}
		if !m.readable(r) {
			d.Inputs = append(d.Inputs, r.input)
		}
	}
	slices.Sort(d.Inputs)
	return d
}

// readable reports whether all blocks of a run are intact.
func (m *Merge) readable(r *run) bool {
	b := r.reader(m.cfg.Resources)
	defer b.close()
	for b.x.size > 0 && b.fill() {
	}
	return b.err == nil
}
