package own

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// coflowName is the trace of shuffles looked for in the folder that TARRY_TRACES names.
const coflowName = "FB2010-1Hr-150-0.txt"

// coflows asks what placing reduces is worth on a trace of shuffles, by job and by byte.
func coflows(s *study.Study) {
	x := readCoflows(s)
	x.cut(s)
	x.replay(s)
}

// coflowTrace is the shuffles of each seed: those of the trace under all, or some drawn like them.
type coflowTrace struct {
	lists    [][]workload.Coflow
	racks    int
	recorded bool
}

// readCoflows gives the shuffles; the set-up says where they are from.
func readCoflows(s *study.Study) *coflowTrace {
	x := &coflowTrace{lists: make([][]workload.Coflow, s.Repeats(1, 10)), racks: workload.CoflowRacks}
	var list []workload.Coflow
	x.recorded = setup.Trace(s, coflowName, func(f *os.File) (err error) {
		list, x.racks, err = workload.ReadCoflows(f, coflowName)
		return err
	})
	n := study.Pick(s, 150, 526)
	for i := range x.lists {
		x.lists[i] = list
		if !x.recorded {
			x.lists[i] = workload.DrawCoflows(rand.New(rand.NewPCG(s.Seed+uint64(i), 8)), n)
		}
	}
	if x.recorded {
		s.Fill("source", fmt.Sprintf("Workload: the %d shuffles of %s, arrivals as recorded.", len(list),
			coflowName))
		return x
	}
	s.Fill("source", setup.NoTrace(coflowName, "%d shuffles of its shape are drawn: the same classes of "+
		"map racks and bytes by class, random racks.", n))
	return x
}

// rackBytes is where the bytes of shuffles went: all, off the rack as it was, and off the rack if
// each reduce ran at the center of gravity.
type rackBytes struct{ all, actual, best float64 }

// traced gives the bytes of one shuffle.
func traced(c *workload.Coflow) (b rackBytes) {
	for p, rack := range c.Reduces {
		bytes, part := float64(c.Bytes[p]), 1/float64(len(c.Maps))
		b.all += bytes
		b.best += bytes * (1 - part)
		b.actual += bytes
		if slices.Contains(c.Maps, rack) {
			b.actual -= bytes * part
		}
	}
	return b
}

// tracedBytes is what shuffles come to by the trace alone: in all, and what the best racks would
// save of off-rack bytes by job, in per cent, ascending.
func tracedBytes(list []workload.Coflow, class string) (sum rackBytes, cuts []float64) {
	for i := range list {
		if class != "" && workload.CoflowClass(len(list[i].Maps)) != class {
			continue
		}
		one := traced(&list[i])
		sum = rackBytes{sum.all + one.all, sum.actual + one.actual, sum.best + one.best}
		if one.actual > 0 {
			cuts = append(cuts, 100*(1-one.best/one.actual))
		}
	}
	slices.Sort(cuts)
	return sum, cuts
}

// by gives a figure of the shuffles of a class by seed, 0 of none; with no class it is of all.
func (x *coflowTrace) by(class string, figure func(sum rackBytes, cuts []float64) float64) study.Sample {
	sample := study.Samples(len(x.lists), func(i int) []float64 {
		sum, cuts := tracedBytes(x.lists[i], class)
		if sum.all == 0 {
			return []float64{0}
		}
		return []float64{figure(sum, cuts)}
	})[0]
	if x.recorded {
		return study.Sure(sample.Values[0])
	}
	return sample
}

// cut compares the racks where reduces ran with the best racks.
func (x *coflowTrace) cut(s *study.Study) {
	saved := "by the trace: off-rack bytes saved, " // whatever a scheduler does
	s.Shown(saved+"mean of jobs", "%",
		x.by("", func(_ rackBytes, cuts []float64) float64 { return study.Average(cuts) })).
		Saying("43 measured before")
	s.Shown(saved+"median job", "%",
		x.by("", func(_ rackBytes, cuts []float64) float64 { return study.Median(cuts) })).
		Saying("25 measured before")
	s.Shown(saved+"of all bytes", "%",
		x.by("", func(sum rackBytes, _ []float64) float64 { return 100 * (1 - sum.best/sum.actual) })).
		Saying("0.2 measured before")
	bars := s.Plot("classes", "Bytes off the rack by map racks of the shuffle", "map racks",
		"part of the bytes").Lines("as it was", "center of gravity")
	for _, c := range []struct {
		name      string
		was, best float64 // measured before
	}{
		{"1 rack", 0.996, 0},
		{"2-5 racks", 0.993, 0.719},
		{"6-20 racks", 0.992, 0.903},
		{"21-75 racks", 0.993, 0.976},
		{"over 75 racks", 0.993, 0.993},
	} {
		if sum, _ := tracedBytes(x.lists[0], c.name); sum.all == 0 {
			continue
		}
		was := x.by(c.name, func(sum rackBytes, _ []float64) float64 { return sum.actual / sum.all })
		best := x.by(c.name, func(sum rackBytes, _ []float64) float64 { return sum.best / sum.all })
		s.Shown(c.name+": bytes off the rack as it was", "", was).
			Saying(fmt.Sprintf("%g measured before", c.was))
		s.Shown(c.name+": bytes off the rack at the center of gravity", "", best).
			Saying(fmt.Sprintf("%g measured before", c.best))
		bars.Bars(c.name)
		bars.Series[0].AddBar(was)
		bars.Series[1].AddBar(best)
	}
}

// replay simulates the shuffles with both placements.
func (x *coflowTrace) replay(s *study.Study) {
	list := setup.Placements(1, setup.Waits(time.Hour, 24*time.Hour), func(p *scheduling.Policy) {
		if p.Reduce.Rule == scheduling.CoGRS {
			p.Reduce.Theta, p.Reduce.Waits = -1, reduceWaits
		}
	})[:2]
	cfg := simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: 2 * x.racks, Racks: x.racks, MapSlots: 4, ReduceSlots: 8, MergeRate: -1,
		}, Network: simulator.Network{ShuffleRate: 1e9},
		Interval: setup.BeatEvery, TellProgress: true,
	}
	figure := s.Plot("by-job", "Off-rack bytes saved over the trace's own places, by job", "saved (%)",
		"part of the jobs")
	figure.Steps = true
	got := study.Samples(len(x.lists), func(n int) (values []float64) {
		w, err := workload.FromCoflows(x.lists[n],
			workload.CoflowOptions{Map: workload.Cost{Time: 5 * time.Second, Spread: 0.3}})
		s.Check(err)
		cfg.Seed = uint64(n)
		all := s.Compare(cfg, list, 1, study.Always(w))
		for _, r := range all {
			cuts, kept := coflowCuts(x.lists[n], r.Results[0])
			values = append(values, study.Average(cuts), 100*(1-kept))
			if n == 0 {
				figure.Distribution(r.Name, cuts)
			}
		}
		return append(values, all.Over(1, 0, study.MeanSojourn).Mean(), all[0].By(study.RackLocal).Mean())
	})
	what := func(name, of string) string {
		return "replayed, " + name + ": off-rack bytes saved over the trace's places, " + of
	}
	s.Shown(what("any node", "mean of jobs"), "%", got[0])
	s.Shown(what("any node", "of all bytes"), "%", got[1])
	s.Own(what("CoGRS", "mean of jobs"), "%", "43 measured before", study.Near(43), got[2])
	s.Own(what("CoGRS", "of all bytes"), "%", "hardly any, 0.2 measured before", study.Less(1), got[3])
	s.Shown("replayed: mean sojourn, CoGRS over any node", "×", got[4])
	s.Own("replayed: maps in their racks", "%", "all", study.AtLeast(100), got[5])
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
