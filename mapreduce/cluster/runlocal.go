package cluster

import (
	"context"
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// LocalOptions are choices for RunLocal; the zero value is useful.
type LocalOptions struct {
	// Reduces is the number of reduces if the job does not say; 0 means 1.
	Reduces int
	// MaxSkips is how many bad records are left out; see MapAttempt. They are appended to Skipped,
	// if that is not nil.
	MaxSkips int
	Skipped  *[]Skipped
	// Blocks cuts the sources, for tests; nil means one split a source.
	Blocks func(source int) []Block
}

// RunLocal runs a plan from start to end in this goroutine: no cluster, budget,
// spills or clever data structures. It keeps everything in memory and is the
// oracle that the engine is tested against. After an error no output is left.
func RunLocal(ctx context.Context, p *Plan, o LocalOptions) (c *counter.Set, err error) {
	c = new(counter.Set)
	if err := p.Claim(); err != nil {
		return c, err
	}
	if err := p.SetupJob(); err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.AbortJob())
		}
	}()
	defer fault.Present(ctx, &err)
	defer func() {
		if err != nil { // else CommitJob has looked, and the output is there
			input.Verify(&err, p.job.Sources, false)
		}
	}()
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	err = fault.ErrExited // what stands if user code does not return
	return c, p.allLocal(ctx, o, c)
}

// allLocal runs a plan whose output is ready.
func (p *Plan) allLocal(ctx context.Context, o LocalOptions, c *counter.Set) error {
	if o.MaxSkips > 0 {
		if err := p.SkipsFit(); err != nil {
			return err
		}
	}
	if err := p.Prepare(ctx, PrepareOptions{Reduces: o.Reduces}); err != nil {
		return err
	}
	splits, err := p.Splits(ctx, o.Blocks)
	if err != nil {
		return err
	}
	list, err := p.tasks.RunLocal(ctx, &p.job, splits, c, o.MaxSkips)
	if err != nil {
		return err
	}
	SortSkipped(list)
	if o.Skipped != nil {
		*o.Skipped = append(*o.Skipped, list...)
	}
	if _, err := p.Quarantine(list); err != nil {
		return err
	}
	return p.CommitJob()
}
