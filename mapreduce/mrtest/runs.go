package mrtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// errInterrupted is the error with which interrupt makes attempts fail; the cluster retries them.
var errInterrupted = errors.New("mrtest has this attempt fail, to be tried again")

// variant is a way to run a job. If only reduces is set, it is RunLocal over whole files.
type variant struct {
	reduces int
	split   int64 // bytes; 0: whole files
	debug   bool
	cluster bool
	scarce  bool // hardly any memory
	failing bool // attempts fail
	why     string
}

func (v variant) String() string {
	text := "in RunLocal"
	switch {
	case v.failing:
		text = "on a cluster whose attempts fail and are tried again"
	case v.scarce:
		text = "on a cluster with next to no memory"
	case v.cluster:
		text = "on a cluster with many attempts at once"
	}
	text += " with " + plural(int64(v.reduces), "reduce")
	if v.split > 0 {
		text += " and splits of " + plural(v.split, "byte")
	}
	if v.debug {
		text += ", watched"
	}
	return text
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// outcome is the result of a run.
type outcome[O any] struct {
	variant
	parts    [][]O
	counters *counter.Set
}

// The maximum number of splits, of a run in RunLocal and of one on a cluster.
const (
	maxSplits        = 2000
	maxClusterSplits = 24
)

// splitSizes returns the split sizes to try.
func (c *check[O]) splitSizes() []int64 {
	sizes := c.Splits
	if len(sizes) == 0 {
		sizes = []int64{1, 7, 64, c.size/2 + 1}
	}
	var list []int64
	for _, n := range sizes {
		if n = max(n, c.size/maxSplits+1); len(list) == 0 || n != list[len(list)-1] {
			list = append(list, n)
		}
	}
	return list
}

// onCluster returns the variants on a cluster, with this number of reduces.
func (c *check[O]) onCluster(reduces int) []variant {
	v := variant{reduces: reduces, cluster: true, split: c.size/maxClusterSplits + 1}
	many, scarce, failing := v, v, v
	many.debug = true
	many.why = "the output depends on how many attempts run at once, or in which order"
	scarce.scarce = true
	scarce.why = "the output depends on when what is emitted is spilled and combined, or on byte slices that were kept " +
		"beyond their lifetime"
	failing.failing, failing.debug = true, true
	failing.why = "the output depends on which attempt at a task it is from, or on what a failed one has left behind"
	if c.once {
		return []variant{many, scarce}
	}
	return []variant{many, scarce, failing}
}

// run makes one run.
func (c *check[O]) run(v variant) (*outcome[O], error) {
	var out mapreduce.Collected[O]
	p, err := c.bind(out.Output())
	if err != nil {
		return nil, err
	}
	c.name, c.size, c.once = p.Job().Name, p.Job().InputBytes(), p.Job().ReadOnce()
	if v.debug {
		d := mapreduce.DebugOptions{Within: c.Within}
		if v.failing {
			d.Interrupt = c.interrupt
		}
		p.Debug(d)
	}
	o := &outcome[O]{}
	if v.cluster {
		o.counters, err = v.live(c.t.Context(), p)
	} else {
		local := mapreduce.LocalOptions{Reduces: v.reduces}
		if v.split > 0 {
			local.Blocks = p.Job().BlocksOf(v.split)
		}
		o.counters, err = mapreduce.RunLocal(c.t.Context(), p, local)
	}
	c.reduces, c.fixed = p.Job().Reduces, p.Job().Reduces != v.reduces
	v.reduces = p.Job().Reduces
	if err != nil {
		return nil, fmt.Errorf("%v: %w", v, explain(err))
	}
	o.variant = v
	if o.parts, err = out.Parts(); err != nil {
		return nil, err
	}
	return o, nil
}

// live runs a plan on a new cluster, as v says, and returns the counters.
func (v variant) live(ctx context.Context, p *mapreduce.Plan) (_ *counter.Set, err error) {
	cfg := actors.Config{Nodes: 2, MapSlots: 4, ReduceSlots: 4, BlockSize: v.split}
	if v.scarce {
		cfg.Memory = 1
	}
	cluster, err := actors.Start(cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	res, err := actors.RunOn(ctx, cluster, p, actors.SubmitOptions{Reduces: v.reduces})
	return res.Counters, err
}

// interrupt returns an error for up to two attempts at a task, at an early record or, in a short
// task, at the end. The first attempt at map 0 and at reduce 0 always fails, if it calls interrupt
// twice.
func (c *check[O]) interrupt(id mapreduce.AttemptID, n int64) error {
	r := rand.New(rand.NewPCG(c.Seed, uint64(id.Kind)<<32|uint64(id.Index)))
	failures, at := r.IntN(3), 2+r.Int64N(3)
	if id.Index == 0 {
		failures, at = max(failures, 1), 2
	}
	if id.Try < failures && n >= at {
		return errInterrupted
	}
	return nil
}
