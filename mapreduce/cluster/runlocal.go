package cluster

import (
	"context"
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// LocalOptions are the options of RunLocal; the zero value is useful.
type LocalOptions struct {
	// Reduces is the number of reduces for a job that does not set its own; 0 means 1.
	Reduces int
	// MaxSkips is the maximum number of bad records to skip; see MapAttempt. If Skipped is not nil,
	// they are appended to it.
	MaxSkips int
	Skipped  *[]Skipped
	// Blocks returns the blocks of a source; nil means one per source. Tests set it.
	Blocks func(source int) []Block
}

// RunLocal runs a plan from start to end in this goroutine, in memory, without cluster, memory
// budget, spills or clever data structures. Tests compare the engine with it. After an error there
// is no output.
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
		if err != nil { // if it is nil, CommitJob has verified the inputs
			input.Verify(&err, p.job.Sources, false)
		}
	}()
	defer fault.Catch(&err)
	defer fault.Guard(fault.Guard(true))
	err = fault.ErrExited // returned if user code ends the goroutine below
	return c, p.allLocal(ctx, o, c)
}

// allLocal runs all tasks of a plan that is set up, and adds their counters to c.
func (p *Plan) allLocal(ctx context.Context, o LocalOptions, c *counter.Set) error {
	if o.MaxSkips > 0 {
		if err := p.job.SkipsFit(); err != nil {
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
	if _, err := p.job.Quarantine(list); err != nil {
		return err
	}
	return p.CommitJob()
}
