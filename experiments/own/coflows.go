package own

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/report"
	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// coflowName is the trace of shuffles looked for in the folder that TARRY_TRACES names.
const coflowName = "FB2010-1Hr-150-0.txt"

// Coflows asks what placing reduces is worth on a trace of shuffles, by job and by byte.
func Coflows(ctx context.Context, o report.Options) (*report.Result, error) {
	list, racks, source, err := readCoflows(o)
	if err != nil {
		return nil, err
	}
	r := &report.Result{Setup: []string{
		source,
		"By the trace: all reduces of a rack are one, and where they ran is known; each map rack " +
			"has an equal part of the shuffle. The center of gravity is then any of the map racks.",
		"Replayed: 2 nodes for each rack of the trace, 4 map and 8 reduce slots each; maps stay " +
			"in their racks (waits without bound) and take 5 s, reduces start after the last map " +
			"and fetch 1 GB/s.",
		"Order fair; CoGRS without tolerance (theta 0), waits of 4.5 s; beside it any node that " +
			"asks. Both are held against the places of the trace.",
	}}
	tracedCut(list, r)
	if err := replayCoflows(ctx, o, list, racks, r); err != nil {
		return nil, err
	}
	r.Notes = []string{
		"Most shuffles are of few racks and gain; nearly all bytes are in shuffles over more " +
			"than 75 racks, where every rack is as good as any other. Both numbers are true; " +
			"report both.",
		"Replayed on a cluster with idle slots, any node does well on small jobs: the node that " +
			"reports the last map asks for work in the same breath and gets the reduces. On the " +
			"busy cluster of the trace 54 % of the reduces ran in a rack without a map of theirs.",
	}
	return r, nil
}

// rackBytes is where the bytes of shuffles went: all, off the rack as it was, and off the rack if
// each reduce ran at the center of gravity.
type rackBytes struct{ all, actual, best float64 }

// traced gives the bytes of one shuffle.
func traced(c *workload.Coflow) (s rackBytes) {
	for p, rack := range c.Reduces {
		bytes, part := float64(c.Bytes[p]), 1/float64(len(c.Maps))
		s.all += bytes
		s.best += bytes * (1 - part)
		s.actual += bytes
		if slices.Contains(c.Maps, rack) {
			s.actual -= bytes * part
		}
	}
	return s
}

// tracedCut compares the racks where reduces ran with the best racks.
func tracedCut(list []workload.Coflow, r *report.Result) {
	classes, total := map[string]*rackBytes{}, rackBytes{}
	var names []string
	var cuts []float64
	for i := range list {
		one, name := traced(&list[i]), workload.CoflowClass(len(list[i].Maps))
		if classes[name] == nil {
			classes[name] = &rackBytes{}
			names = append(names, name)
		}
		for _, s := range []*rackBytes{classes[name], &total} {
			s.all, s.actual, s.best = s.all+one.all, s.actual+one.actual, s.best+one.best
		}
		if one.actual > 0 {
			cuts = append(cuts, 100*(1-one.best/one.actual))
		}
	}
	slices.Sort(cuts)
	r.Add(report.Published("by the trace: off-rack bytes saved, mean of jobs", "%", 43,
		setup.Average(cuts), report.Within(43, 5)).Saying("measured before"),
		report.Published("by the trace: off-rack bytes saved, median job", "%", 25,
			setup.Median(cuts), report.Within(25, 10)).Saying("measured before"),
		report.Published("by the trace: off-rack bytes saved, of all bytes", "%", 0.2,
			100*(1-total.best/total.actual), report.AtMost(1)).Saying("measured before"))
	published := map[string][2]float64{
		"1 rack": {0.996, 0}, "2-5 racks": {0.993, 0.719}, "6-20 racks": {0.992, 0.903},
		"21-75 racks": {0.993, 0.976}, "over 75 racks": {0.993, 0.993},
	}
	slices.SortFunc(names,
		func(a, b string) int { return int(math.Copysign(1, published[a][1]-published[b][1])) })
	bars := report.Figure{
		Name: "classes", Title: "Bytes off the rack by map racks of the shuffle", X: "map racks",
		Y:      "part of the bytes",
		Series: []report.Series{{Name: "as it was"}, {Name: "center of gravity"}},
	}
	for _, name := range names {
		s, want := classes[name], published[name]
		r.Add(report.Published(name+": bytes off the rack as it was", "", want[0], s.actual/s.all,
			report.Within(want[0], 0.05)).Saying("measured before"),
			report.Published(name+": bytes off the rack at the center of gravity", "", want[1],
				s.best/s.all, report.Within(want[1], 0.05)).Saying("measured before"))
		bars.Categories = append(bars.Categories, name)
		bars.Series[0].Y = append(bars.Series[0].Y, s.actual/s.all)
		bars.Series[1].Y = append(bars.Series[1].Y, s.best/s.all)
	}
	r.Figures = append(r.Figures, bars)
}

// replayCoflows simulates the shuffles with both placements.
func replayCoflows(
	ctx context.Context, o report.Options, list []workload.Coflow, racks int, r *report.Result,
) error {
	w, err := workload.FromCoflows(list,
		workload.CoflowOptions{Map: workload.Cost{Time: 5 * time.Second, Spread: 0.3}})
	if err != nil {
		return err
	}
	contenders := setup.Placements()
	contenders = contenders[:2]
	for i := range contenders {
		setup.Waits(time.Hour, 24*time.Hour)(&contenders[i].Policy)
	}
	contenders[1].Policy.Reduce.Theta, contenders[1].Policy.Reduce.Waits = -1,
		[2]time.Duration{sweepWaits, sweepWaits}
	cfg := simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: 2 * racks, Racks: racks, MapSlots: 4, ReduceSlots: 8, MergeRate: -1,
		}, Network: simulator.Network{ShuffleRate: 1e9},
		Interval: setup.BeatEvery, Seed: o.Seed, TellProgress: true,
	}
	all, err := setup.Contests(ctx, cfg, contenders, o.Repeats(1, 3),
		func(*rand.Rand) workload.Workload { return w })
	if err != nil {
		return err
	}
	cuts, kept := coflowCuts(list, all)
	r.Add(coflowRows("any node", cuts[0], kept[0])...)
	center := coflowRows("CoGRS", cuts[1], kept[1])
	center[0].Published, center[0].Band = 43, report.Within(43, 5)
	center[1].Published, center[1].Band = 0.2, report.AtMost(1)
	r.Add(center...)
	local := all[0].Over(setup.RackLocal).Mean
	r.Add(report.Shown("replayed: mean sojourn, CoGRS over any node", "×",
		all[1].Over(setup.MeanSojourn).Mean/all[0].Over(setup.MeanSojourn).Mean),
		report.Claimed("replayed: maps in their racks", "%", "all", local, report.AtLeast(100)))
	r.Figures = append(r.Figures, report.Figure{
		Name: "by-job", Title: "Off-rack bytes saved over the trace's own places, by job",
		X: "saved (%)", Y: "part of the jobs", Steps: true,
		Series: []report.Series{
			setup.Distribution("any node", cuts[0]), setup.Distribution("CoGRS", cuts[1]),
		},
	})
	return nil
}

// coflowCuts gives what each contest saves of a shuffle's off-rack bytes over the trace's places,
// by shuffle, in per cent and ascending, and the part of all those bytes that it keeps.
func coflowCuts(
	list []workload.Coflow, all []simulator.Contest,
) (cuts [2][]float64, kept [2]float64) {
	actual := 0.0
	for i := range list {
		was := traced(&list[i]).actual
		actual += was
		for k := range all {
			now := 0.0
			for _, res := range all[k].Results {
				now += float64(res.Jobs[i].Shuffle.OffRack) / float64(len(all[k].Results))
			}
			kept[k] += now
			if was > 0 {
				cuts[k] = append(cuts[k], 100*(1-now/was))
			}
		}
	}
	for k := range cuts {
		slices.Sort(cuts[k])
		kept[k] /= actual
	}
	return cuts, kept
}

// coflowRows shows what coflowCuts says of one contest.
func coflowRows(name string, cuts []float64, kept float64) []report.Row {
	what := "replayed, " + name + ": off-rack bytes saved over the trace's places, "
	return []report.Row{
		report.Shown(what+"mean of jobs", "%", setup.Average(cuts)),
		report.Shown(what+"of all bytes", "%", 100*(1-kept)),
	}
}

// readCoflows gives the shuffles of the trace, or some drawn like them, and says which.
func readCoflows(o report.Options) (list []workload.Coflow, racks int, source string, err error) {
	f, err := setup.OpenTrace(coflowName)
	if err != nil {
		return nil, 0, "", err
	}
	if f == nil {
		n := 526
		if o.Quick {
			n = 150
		}
		list = workload.DrawCoflows(rand.New(rand.NewPCG(o.Seed, 8)), n)
		return list, workload.CoflowRacks, setup.NoTrace(coflowName, "%d shuffles of its shape "+
			"are drawn: the same classes of map racks and bytes by class, random racks.", n), nil
	}
	defer f.Close()
	list, racks, err = workload.ReadCoflows(f, coflowName)
	return list, racks,
		fmt.Sprintf("Workload: the %d shuffles of %s, arrivals as recorded.", len(list),
			coflowName), err
}
