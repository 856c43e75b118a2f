package mrtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Job is the argument of Check: a [mapreduce.Job], a [mapreduce.MapOnly] or any other type with
// Bind.
type Job[I, O any] interface {
	Bind(in mapreduce.Input[I], out mapreduce.Output[O]) (*mapreduce.Plan, error)
}

// Options configure a check; the zero value is useful.
type Options struct {
	// Within is the allowed difference of floats, in records and combined values, between two runs,
	// relative to the larger one; 0 <= Within < 1. Sums of floats depend on their order: 1e-9 suits
	// them. 0 allows no difference.
	Within float64

	// Reduces are the numbers of reduces to try, each at least 1; empty means 1, 2 and 5. For a job
	// with Reducers set, only that number is used.
	Reduces []int

	// PerReduce allows outputs that depend on the number of reduces, as those of a job whose reduce
	// emits a sum at its end. Then only runs with the same number are compared.
	PerReduce bool

	// Splits are the split sizes to try in RunLocal, at least 1, in bytes of a source or records of
	// a Slice. Empty means 1, 7, 64 and half of the input. A size that makes more than 2,000 splits
	// is raised.
	Splits []int64

	// Seed determines which attempts fail, and at which record.
	Seed uint64
}

// Check runs a job in many ways and returns its output, part by part. If a run fails or two runs
// differ, it ends the test as failed. Each run reads in, so its sources must be readable
// repeatedly: small files, Bytes, a Slice. A check of a few kilobytes takes some tenths of a
// second.
func Check[I, O any](t testing.TB, job Job[I, O], in mapreduce.Input[I]) []O {
	t.Helper()
	return CheckWith(t, Options{}, job, in)
}

// CheckWith is like Check, with options.
func CheckWith[I, O any](t testing.TB, o Options, job Job[I, O], in mapreduce.Input[I]) []O {
	t.Helper()
	return CheckPlans(t, o, func(out mapreduce.Output[O]) (*mapreduce.Plan, error) { return job.Bind(in, out) })
}

// CheckPlans is Check for jobs that need a new input or a reset for each run, or have several
// inputs. bind is called for each run; it must return a new plan that writes to out.
func CheckPlans[O any](t testing.TB, o Options, bind func(out mapreduce.Output[O]) (*mapreduce.Plan, error)) []O {
	t.Helper()
	c := &check[O]{Options: o, t: t, bind: bind}
	if err := c.faults(); err != nil {
		t.Fatalf("mrtest: %v", err)
	}
	records, err := c.all()
	if err != nil {
		t.Fatalf("mrtest: job %q: %v", c.name, err)
	}
	return records
}

// check is one check of a job.
type check[O any] struct {
	Options
	t    testing.TB
	bind func(out mapreduce.Output[O]) (*mapreduce.Plan, error)

	name    string // of the job
	size    int64  // of its input
	once    bool   // map attempts cannot be repeated
	reduces int    // number of reduces of the plan; 0: map-only
	fixed   bool   // the plan sets its own number of reduces
}

// faults returns an error if the options are invalid.
func (c *check[O]) faults() error {
	switch {
	case c.Within < 0 || c.Within >= 1:
		return fmt.Errorf("Options.Within is %v: want 0 up to 1", c.Within)
	case slices.ContainsFunc(c.Reduces, func(n int) bool { return n < 1 }):
		return fmt.Errorf("Options.Reduces is %v: a job has at least 1", c.Reduces)
	case slices.ContainsFunc(c.Splits, func(n int64) bool { return n < 1 }):
		return fmt.Errorf("Options.Splits is %v: a split has at least 1 byte", c.Splits)
	}
	if len(c.Reduces) == 0 {
		c.Reduces = []int{1, 2, 5}
	}
	return nil
}

// all makes all runs. It compares each with a plain run in RunLocal with as many reduces, which is
// called base.
//
//  1. A watched run, so that misuse is reported by its name; then two plain runs.
//  2. Runs with splits of several sizes.
//  3. Runs with other numbers of reduces: the same records, in other parts.
//  4. For each of those numbers, runs on a cluster: with many concurrent attempts, with too little
//     memory, with failing attempts.
func (c *check[O]) all() ([]O, error) {
	watched, err := c.run(variant{
		reduces: c.Reduces[0], debug: true,
		why: "the output depends on byte slices that were kept beyond their lifetime, or on more than its input",
	})
	if err != nil {
		return nil, err
	}
	plain := variant{reduces: c.Reduces[0]}
	base, err := c.run(plain)
	if err != nil {
		return nil, err
	}
	again := plain
	again.why = "the same run twice: the job depends on more than its input, such as what an earlier run has left, " +
		"time, chance or the order of a Go map"
	if err := c.runLike(base, again); err != nil {
		return nil, err
	}
	if err := c.compare(base, watched); err != nil {
		return nil, err
	}
	for _, size := range c.splitSizes() {
		split := variant{
			reduces: plain.reduces, split: size, debug: true,
			why: "the output depends on where the input is split: a map must treat each record for itself, or Close " +
				"and Combine must make up for it",
		}
		if err := c.runLike(base, split); err != nil {
			return nil, err
		}
	}
	if err := c.otherReduces(base); err != nil {
		return nil, err
	}
	return slices.Concat(base.parts...), nil
}

// otherReduces runs the job with each number of reduces, in RunLocal and on a cluster.
func (c *check[O]) otherReduces(base *outcome[O]) error {
	for i, n := range c.Reduces {
		if i > 0 && (c.fixed || c.reduces == 0) {
			break
		}
		like := base
		if i > 0 {
			var err error
			if like, err = c.inParts(base, n); err != nil {
				return err
			}
		}
		for _, v := range c.onCluster(n) {
			if err := c.runLike(like, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// inParts runs the job with another number of reduces than base, and returns the outcome. Other
// records than base's are an error, unless PerReduce is set.
func (c *check[O]) inParts(base *outcome[O], reduces int) (*outcome[O], error) {
	o, err := c.run(variant{reduces: reduces, debug: true, why: "the output depends on the number of reduces"})
	if err == nil && !c.PerReduce {
		err = c.compare(base, o)
	}
	return o, err
}

// runLike runs the job as v says; another output than base's is an error.
func (c *check[O]) runLike(base *outcome[O], v variant) error {
	o, err := c.run(v)
	if err != nil {
		return err
	}
	return c.compare(base, o)
}

// explain adds the likely cause to the error of a run that cannot read its input twice.
func explain(err error) error {
	if errors.Is(err, cluster.ErrConsumed) || errors.Is(err, cluster.ErrPlanUsed) {
		return fmt.Errorf("%w: each run needs its input anew, see CheckPlans", err)
	}
	return err
}
