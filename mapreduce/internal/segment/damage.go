package segment

import (
	"errors"
	"slices"
)

// DamageError says which inputs of a merge cannot be read back from their spills. It wraps
// [ErrCorrupt].
type DamageError struct {
	// Inputs are numbered as they were added, in order. None: the damage is in a run of the
	// merge itself, or was not found again.
	Inputs []int
	Err    error // the damage found first
}

// Error implements error.
func (e *DamageError) Error() string { return e.Err.Error() }

// Unwrap returns the damage found first.
func (e *DamageError) Unwrap() error { return e.Err }

// noInput is the input of a run that the merge made itself.
const noInput = -1

// explain adds to the error of a spill what else is damaged: all inputs are read once, so
// that whoever makes them anew needs to do so only once.
func (m *Merge) explain(err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	d := &DamageError{Err: err}
	for i := range m.runs {
		r := &m.runs[i]
		if r.file == nil || r.input < 0 || slices.Contains(d.Inputs, r.input) {
			continue
		}
		if !m.readable(r) {
			d.Inputs = append(d.Inputs, r.input)
		}
	}
	slices.Sort(d.Inputs)
	return d
}

// readable reports whether all blocks of a run are whole.
func (m *Merge) readable(r *run) bool {
	b := newBlockReader(r.file, r.section, m.cfg.Pool, m.cfg.Budget)
	defer b.close()
	for b.x.size > 0 && b.fill() {
	}
	return b.err == nil
}
