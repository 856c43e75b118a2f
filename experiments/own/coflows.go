package own

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// coflowName is the trace of shuffles looked for in the folder that TARRY_TRACES names.
const coflowName = "FB2010-1Hr-150-0.txt"

// Coflows asks what placing reduces is worth on a trace of shuffles, by job and by byte.
func Coflows(ctx context.Context, o study.Options) (*study.Result, error) {
	trace, err := readCoflows(o)
	if err != nil {
		return nil, err
	}
	r := &study.Result{Setup: []string{
		trace.source,
		"By the trace: all reduces of a rack are one, and where they ran is known; each map rack " +
			"has an equal part of the shuffle. The center of gravity is then any of the map racks.",
		"Replayed: 2 nodes for each rack of the trace, 4 map and 8 reduce slots each; maps stay " +
			"in their racks (waits without bound) and take 5 s, reduces start after the last map " +
			"and fetch 1 GB/s.",
		"Order fair; CoGRS without tolerance (theta 0), waits of 4.5 s; beside it any node that " +
			"asks. Both are held against the places of the trace.",
	}}
	trace.cut(r)
	if err := trace.replay(ctx, o, r); err != nil {
		return nil, err
	}
	r.Notes = []string{
		"Most shuffles are of few racks and gain; nearly all bytes are in shuffles over more " +
			"than 75 racks, where every rack is as good as any other. Both numbers are true; " +
			"report both.",
		"What was measured before is of the trace itself, by a calculation apart.",
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

// tracedBytes is what the shuffles of one seed come to by the trace alone.
type tracedBytes struct {
	classes map[string]*rackBytes // by number of map racks
	total   rackBytes
	cuts    []float64 // of off-rack bytes by job, in per cent, ascending
}

func newTracedBytes(list []workload.Coflow) *tracedBytes {
	t := &tracedBytes{classes: map[string]*rackBytes{}}
	for i := range list {
		one, name := traced(&list[i]), workload.CoflowClass(len(list[i].Maps))
		if t.classes[name] == nil {
			t.classes[name] = &rackBytes{}
		}
		for _, s := range []*rackBytes{t.classes[name], &t.total} {
			s.all, s.actual, s.best = s.all+one.all, s.actual+one.actual, s.best+one.best
		}
		if one.actual > 0 {
			t.cuts = append(t.cuts, 100*(1-one.best/one.actual))
		}
	}
	slices.Sort(t.cuts)
	return t
}

// cut compares the racks where reduces ran with the best racks.
func (x *coflowTrace) cut(r *study.Result) {
	all := make([]*tracedBytes, len(x.lists))
	for i, list := range x.lists {
		all[i] = newTracedBytes(list)
	}
	by := func(figure func(*tracedBytes) float64) study.Sample {
		values := make([]float64, len(all))
		for i, t := range all {
			values[i] = figure(t)
		}
		if x.recorded {
			return study.Sure(values[0])
		}
		return study.BySeed(values)
	}
	saved := "by the trace: off-rack bytes saved, " // whatever a scheduler does
	r.Add(study.Shown(saved+"mean of jobs", "%",
		by(func(t *tracedBytes) float64 { return setup.Average(t.cuts) })).
		OldSaying("43 measured before"),
		study.Shown(saved+"median job", "%",
			by(func(t *tracedBytes) float64 { return setup.Median(t.cuts) })).
			OldSaying("25 measured before"),
		study.Shown(saved+"of all bytes", "%",
			by(func(t *tracedBytes) float64 { return 100 * (1 - t.total.best/t.total.actual) })).
			OldSaying("0.2 measured before"))
	bars := study.Figure{
		Name: "classes", Title: "Bytes off the rack by map racks of the shuffle", X: "map racks",
		Y:      "part of the bytes",
		Series: []*study.Series{{Name: "as it was"}, {Name: "center of gravity"}},
	}
	for _, c := range coflowClasses() {
		if all[0].classes[c.name] == nil {
			continue
		}
		part := func(figure func(s *rackBytes) float64) study.Sample {
			return by(func(t *tracedBytes) float64 {
				if t.classes[c.name] == nil {
					return 0
				}
				return figure(t.classes[c.name])
			})
		}
		was := part(func(s *rackBytes) float64 { return s.actual / s.all })
		best := part(func(s *rackBytes) float64 { return s.best / s.all })
		r.Add(study.Shown(c.name+": bytes off the rack as it was", "",
			was).OldSaying(fmt.Sprintf("%g measured before", c.was)),
			study.Shown(c.name+": bytes off the rack at the center of gravity", "",
				best).OldSaying(fmt.Sprintf("%g measured before", c.best)))
		bars.Categories = append(bars.Categories, c.name)
		bars.Series[0].AddBar(was)
		bars.Series[1].AddBar(best)
	}
	r.Figures = append(r.Figures, bars)
}

// coflowClass is a class of shuffles with the parts of its bytes that were measured before.
type coflowClass struct {
	name      string
	was, best float64
}

func coflowClasses() []coflowClass {
	return []coflowClass{
		{"1 rack", 0.996, 0},
		{"2-5 racks", 0.993, 0.719},
		{"6-20 racks", 0.992, 0.903},
		{"21-75 racks", 0.993, 0.976},
		{"over 75 racks", 0.993, 0.993},
	}
}

// replay simulates the shuffles with both placements.
func (x *coflowTrace) replay(ctx context.Context, o study.Options, r *study.Result) error {
	contenders := setup.Placements()
	contenders = contenders[:2]
	for i := range contenders {
		setup.Waits(time.Hour, 24*time.Hour)(&contenders[i].Policy)
	}
	contenders[1].Policy.Reduce.Theta, contenders[1].Policy.Reduce.Waits = -1,
		[2]time.Duration{sweepWaits, sweepWaits}
	cfg := simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: 2 * x.racks, Racks: x.racks, MapSlots: 4, ReduceSlots: 8, MergeRate: -1,
		}, Network: simulator.Network{ShuffleRate: 1e9},
		Interval: setup.BeatEvery, TellProgress: true,
	}
	var means, bytes [2][]float64
	var against, local []float64
	figure := study.Figure{
		Name: "by-job", Title: "Off-rack bytes saved over the trace's own places, by job",
		X: "saved (%)", Y: "part of the jobs", Steps: true,
	}
	for n, list := range x.lists {
		w, err := workload.FromCoflows(list,
			workload.CoflowOptions{Map: workload.Cost{Time: 5 * time.Second, Spread: 0.3}})
		if err != nil {
			return err
		}
		cfg.Seed = o.Seed + uint64(n)
		all, err := setup.Contests(ctx, cfg, contenders, 1,
			func(*rand.Rand) workload.Workload { return w })
		if err != nil {
			return err
		}
		for k := range all {
			cuts, kept := coflowCuts(list, all[k].Results[0])
			means[k] = append(means[k], setup.Average(cuts))
			bytes[k] = append(bytes[k], 100*(1-kept))
			if n == 0 {
				figure.Series = append(figure.Series, setup.Distribution(all[k].Name, cuts))
			}
		}
		against = append(against, setup.MeanSojourn(all[1].Results[0])/
			setup.MeanSojourn(all[0].Results[0]))
		local = append(local, setup.RackLocal(all[0].Results[0]))
	}
	what := func(name, of string) string {
		return "replayed, " + name + ": off-rack bytes saved over the trace's places, " + of
	}
	r.Add(study.Shown(what("any node", "mean of jobs"), "%", study.BySeed(means[0])),
		study.Shown(what("any node", "of all bytes"), "%", study.BySeed(bytes[0])),
		study.OwnRow(what("CoGRS", "mean of jobs"), "%", "43 measured before", study.Near(43),
			study.BySeed(means[1])),
		study.OwnRow(what("CoGRS", "of all bytes"), "%", "hardly any, 0.2 measured before",
			study.Less(1), study.BySeed(bytes[1])),
		study.Shown("replayed: mean sojourn, CoGRS over any node", "×", study.BySeed(against)),
		study.OwnRow("replayed: maps in their racks", "%", "all", study.AtLeast(100),
			study.BySeed(local)))
	r.Figures = append(r.Figures, figure)
	return nil
}

// coflowCuts gives what a run saves of a shuffle's off-rack bytes over the trace's places, by
// shuffle, in per cent and ascending, and the part of all those bytes that it keeps.
func coflowCuts(list []workload.Coflow, res *simulator.Result) (cuts []float64, kept float64) {
	actual := 0.0
	for i := range list {
		was, now := traced(&list[i]).actual, float64(res.Jobs[i].Shuffle.OffRack)
		actual += was
		kept += now
		if was > 0 {
			cuts = append(cuts, 100*(1-now/was))
		}
	}
	slices.Sort(cuts)
	return cuts, kept / actual
}

// coflowTrace is the shuffles of each seed: those of the trace under all, or some drawn like them.
type coflowTrace struct {
	lists    [][]workload.Coflow
	racks    int
	recorded bool
	source   string
}

// readCoflows gives the shuffles and says where they are from.
func readCoflows(o study.Options) (*coflowTrace, error) {
	f, err := setup.OpenTrace(coflowName)
	if err != nil {
		return nil, err
	}
	x := &coflowTrace{lists: make([][]workload.Coflow, o.Repeats(1, 10))}
	if f == nil {
		n := 526
		if o.Quick {
			n = 150
		}
		for i := range x.lists {
			x.lists[i] = workload.DrawCoflows(rand.New(rand.NewPCG(o.Seed+uint64(i), 8)), n)
		}
		x.racks = workload.CoflowRacks
		x.source = setup.NoTrace(coflowName, "%d shuffles of its shape are drawn: the same "+
			"classes of map racks and bytes by class, random racks.", n)
		return x, nil
	}
	defer f.Close()
	list, racks, err := workload.ReadCoflows(f, coflowName)
	if err != nil {
		return nil, err
	}
	for i := range x.lists {
		x.lists[i] = list
	}
	x.racks, x.recorded = racks, true
	x.source = fmt.Sprintf("Workload: the %d shuffles of %s, arrivals as recorded.", len(list),
		coflowName)
	return x, nil
}
