package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// reduceSweeps changes one setting of reduce placement at a time: when reduces start, how long they wait, and what the rule looks at.
func reduceSweeps(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Setup: []string{
		"14 nodes in 2 racks, 4 map and 2 reduce slots each, heartbeats every 3 s; jobs of 28 maps and 10 reduces one after the other, lognormal factor of sigma 1 on each (map, partition).",
		"Order fair with 3 s waits for local maps; bytes off the rack are compared with any-node placement at the same start.",
		"Unless said: CoGRS, start at half of the maps, projection on, cap 1.5, waits of 4.5 s.",
	}}
	sweep := func(fig *Figure, label string, x float64, change func(*scheduling.Policy)) error {
		cut, sojourn, err := reduceRun(ctx, o, change)
		if err != nil {
			return err
		}
		if fig != nil {
			fig.Series[0].X, fig.Series[0].Y = append(fig.Series[0].X, x), append(fig.Series[0].Y, cut)
		}
		r.Rows = append(r.Rows,
			Row{Quantity: label + ": off-rack bytes saved", Unit: "%", Published: math.NaN(), Ours: cut, Band: Context()},
			Row{Quantity: label + ": mean sojourn", Unit: "s", Published: math.NaN(), Ours: sojourn, Band: Context()})
		return nil
	}
	start := Figure{Name: "slow-start", Title: "When reduces start", X: "part of the maps done", Y: "off-rack bytes saved (%)", Series: []Series{{Name: "CoGRS"}}}
	for _, f := range []float64{0.05, 0.2, 0.5, 0.75, 1} {
		if err := sweep(&start, fmt.Sprintf("start at %g of the maps", f), f, func(p *scheduling.Policy) { p.SlowStart = f }); err != nil {
			return nil, err
		}
	}
	wait := Figure{Name: "reduce-wait", Title: "How long reduces wait", X: "wait (s)", Y: "off-rack bytes saved (%)", Series: []Series{{Name: "CoGRS"}}}
	for _, s := range []float64{1, 3, 6, 15, 30} {
		d := time.Duration(s * float64(time.Second))
		if err := sweep(&wait, fmt.Sprintf("waits of %g s", s), s, func(p *scheduling.Policy) { p.Reduce.Waits = [2]time.Duration{d, d} }); err != nil {
			return nil, err
		}
	}
	for _, c := range []struct {
		name   string
		change func(*scheduling.Policy)
	}{
		{"without projection", func(p *scheduling.Policy) { p.Reduce.NoProjection = true }},
		{"without cap", func(p *scheduling.Policy) { p.Reduce.SkewCap = -1 }},
		{"LARTS", func(p *scheduling.Policy) { p.Reduce.Rule = scheduling.LARTS }},
	} {
		if err := sweep(nil, c.name, 0, c.change); err != nil {
			return nil, err
		}
	}
	r.Figures = []Figure{start, wait}
	return r, nil
}

// reduceRun gives the off-rack bytes saved over any-node placement, in per cent, and the mean sojourn, in seconds.
func reduceRun(ctx context.Context, o Options, change func(*scheduling.Policy)) (cut, sojourn float64, err error) {
	list, err := placements()
	if err != nil {
		return 0, 0, err
	}
	list = list[:2]
	for i := range list {
		p := &list[i].Policy
		p.SlowStart, p.Reduce.Waits = 0.5, [2]time.Duration{4500 * time.Millisecond, 4500 * time.Millisecond}
		change(p)
	}
	list[0].Policy.Reduce = scheduling.ReducePolicy{}
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: 14, Racks: 2, MapSlots: 4, ReduceSlots: 2}, Drive: simulator.HeartbeatDrive, Interval: 3 * time.Second,
		Seed: o.Seed, Submission: simulator.Submission{Rule: simulator.Serial},
	}
	all, err := contests(ctx, cfg, list, o.repeats(1, 10), func(*rand.Rand) workload.Workload { return shuffleJobs(4, 28, 10, 1) })
	if err != nil {
		return 0, 0, err
	}
	return 100 * (1 - all[1].Over(offRack).Mean/all[0].Over(offRack).Mean), all[1].Over(meanSojourn).Mean, nil
}
