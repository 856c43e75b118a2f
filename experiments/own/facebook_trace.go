package own

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// traceName is the file looked for in the folder that TARRY_TRACES names.
const traceName = "FB-2009_samples_24_times_1hr_0.tsv"

// traceSpeed is how many times as fast as recorded the trace's jobs come.
const traceSpeed = 50

// FacebookTrace crosses order, locality and reduce placement on a trace of Facebook.
func FacebookTrace(ctx context.Context, o study.Options) (*study.Result, error) {
	jobs := 0
	if o.Quick {
		jobs = 600
	}
	load, source, err := traceJobs(jobs)
	if err != nil {
		return nil, err
	}
	var list []simulator.Contender
	for _, order := range traceOrders() {
		for _, wait := range []time.Duration{0, 5 * time.Second} {
			for _, rule := range []scheduling.ReduceRule{scheduling.AnyNode, scheduling.CoGRS} {
				p := setup.Preset(order, func(p *scheduling.Policy) {
					setup.Waits(wait, wait)(p)
					p.Reduce.Rule, p.SlowStart = rule, 0.5
				})
				name := fmt.Sprintf("%s, W = %v, reduces %s", order, wait,
					[]string{"anywhere", "at the center"}[min(int(rule), 1)])
				list = append(list, simulator.Contender{Name: name, Policy: p})
			}
		}
	}
	cfg := setup.EC2()
	cfg.Seed, cfg.Cluster.Racks, cfg.Cluster.ReadRate = o.Seed, 5, 20e6
	cfg.SizeCells, cfg.TellProgress = 100_000, true
	all, err := setup.Contests(ctx, cfg, list, o.Repeats(1, 10), load)
	if err != nil {
		return nil, err
	}
	r := &study.Result{Setup: []string{
		source,
		"100 nodes in 5 racks, 4 map and 2 reduce slots each; maps read 20 MB/s; one reduce a " +
			"GB; jobs larger than 1,000 maps shrink in proportion. Heartbeats tell progress.",
		"Jobs with more than 100,000 pairs of map and reduce place their reduces anywhere. W1 = " +
			"W2.",
	}}
	traceRows(all, r)
	return r, nil
}

// traceOrders are the orders that are crossed.
func traceOrders() []string { return []string{"fifo", "hfs", "hfsp"} }

// traceRows shows the contests, which come by order, then wait, then placement.
func traceRows(all []simulator.Contest, r *study.Result) {
	sojourn := study.Figure{
		Name: "sojourn", Title: "Mean sojourn on the trace", X: "order and wait", Y: "seconds",
		Series: []*study.Series{{Name: "reduces anywhere"}, {Name: "reduces at the center"}},
	}
	bytes := study.Figure{
		Name: "off-rack", Title: "Bytes shuffled off the rack on the trace", X: "order and wait",
		Y:      "GB",
		Series: []*study.Series{{Name: "reduces anywhere"}, {Name: "reduces at the center"}},
	}
	for i := range all {
		c := &all[i]
		mean := setup.Each(c, setup.MeanSojourn)
		off := setup.Each(c, func(r *simulator.Result) float64 { return setup.OffRack(r) / 1e9 })
		r.Add(study.Shown(c.Name+": mean sojourn", "s", mean),
			study.Shown(c.Name+": node-local", "%", setup.Each(c, setup.NodeLocal)),
			study.Shown(c.Name+": shuffled off the rack", "GB", off))
		sojourn.Series[i%2].AddBar(mean)
		bytes.Series[i%2].AddBar(off)
		if i%2 == 0 {
			category := fmt.Sprintf("%s, W = %v", traceOrders()[i/4],
				[]time.Duration{0, 5 * time.Second}[i/2%2])
			sojourn.Categories, bytes.Categories = append(sojourn.Categories, category),
				append(bytes.Categories, category)
		}
	}
	native, center := &all[6], &all[7] // hfs with waits
	r.Add(study.OwnRow("hfs, W = 5s: off-rack bytes saved at the center, of all bytes", "%",
		"more than none", study.More(0),
		study.Pair(setup.Each(center, setup.OffRack), setup.Each(native, setup.OffRack),
			func(ours, any float64) float64 { return 100 * (1 - ours/any) })),
		study.Shown("hfs, W = 5s: off-rack bytes saved at the center, mean of jobs that shuffle",
			"%", setup.Seeds(all[6:8], savedByJob)),
		study.Shown("mean sojourn, fifo over hfs, W = 5s", "×",
			setup.Each(&all[2], setup.MeanSojourn).Over(setup.Each(native, setup.MeanSojourn))).
			OldSaying("fair sharing is shorter on mixed sizes: orders judges it"),
		study.OwnRow("node-local maps that waiting adds, hfs", "points", "delay scheduling",
			study.More(0),
			setup.Each(native, setup.NodeLocal).Minus(setup.Each(&all[4], setup.NodeLocal))))
	r.Figures = []study.Figure{sojourn, bytes}
}

// savedByJob is what placement saves of a job's off-rack bytes, the mean of jobs in per cent: one
// has any-node placement first.
func savedByJob(one []simulator.Contest) float64 {
	var cuts []float64
	center := one[1].Results[0].Jobs
	for i, j := range one[0].Results[0].Jobs {
		if a, b := j.Shuffle.OffRack, center[i].Shuffle.OffRack; a > 0 {
			cuts = append(cuts, 100*(1-float64(b)/float64(a)))
		}
	}
	return setup.Average(cuts)
}

// traceJobs gives the first jobs of the trace (0: all), or of a sample drawn like it, and says
// which.
func traceJobs(jobs int) (load func(*rand.Rand) workload.Workload, source string, err error) {
	f, err := setup.OpenTrace(traceName)
	if err != nil {
		return nil, "", err
	}
	if f == nil {
		return workload.FBDataset, setup.NoTrace(traceName,
			"the drawn FB-dataset of [Pastorelli13 §4.1] stands in for it."), nil
	}
	defer f.Close()
	w, err := workload.ReadSWIM(f, traceName,
		workload.TraceOptions{
			Nodes: 100, OriginalNodes: 600, Jobs: jobs, MaxMaps: 1000, MaxReduces: 200,
			TimeScale: 1.0 / traceSpeed, Skew: workload.Skew{Cells: 1},
		})
	if err != nil {
		return nil, "", err
	}
	return func(*rand.Rand) workload.Workload { return w }, fmt.Sprintf(
		"Workload: the first %d jobs of %s, bytes scaled from 600 to 100 nodes, submissions %d "+
			"times as fast as recorded: the trace tells bytes but not how long tasks computed, "+
			"and by reading alone less than 1 %% of the slots would be busy. Partitions differ "+
			"by a lognormal factor of sigma 1 on each (map, reduce).", len(w.Jobs), traceName,
		traceSpeed), nil
}
