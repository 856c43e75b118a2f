package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// ErrDamagedSpill is wrapped by the error of an attempt that cannot read its spills back. The disk
// is at fault and not the job.
var ErrDamagedSpill = segment.ErrCorrupt

// DamagedOutputError is the error of a reduce attempt that found spilled map outputs damaged. It
// wraps [ErrDamagedSpill]. Maps must run again before the next attempt.
type DamagedOutputError struct {
	Maps      []int // ascending
	Partition int
	Dir       string // directory of the spills
	Err       error  // the first damage found
}

// Error implements error.
func (e *DamagedOutputError) Error() string {
	return fmt.Sprintf("what maps %v spilled to %s for reduce %d is damaged: %v", e.Maps, e.Dir, e.Partition, e.Err)
}

// Unwrap returns Err, so that errors.Is finds ErrDamagedSpill.
func (e *DamagedOutputError) Unwrap() error { return e.Err }

// Damaged returns err, the error of a reduce attempt; list are the segments that it read. If some
// are damaged, the result is a DamagedOutputError with their maps.
func Damaged(a *ReduceAttempt, list []Segment, err error) error {
	var d *segment.DamageError
	if !errors.As(err, &d) {
		return err
	}
	dir := cmp.Or(a.SpillDir, os.TempDir())
	if len(d.Inputs) == 0 {
		return fmt.Errorf("what reduce %d spilled to %s is damaged: %w", a.Index, dir, err)
	}
	e := &DamagedOutputError{Partition: a.Index, Dir: dir, Err: err}
	for _, i := range d.Inputs {
		e.Maps = append(e.Maps, list[i].Map)
	}
	return e
}
