package own

import (
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

// coflowName is the file name of the trace of shuffles, in the folder that TARRY_TRACES names.
const coflowName = "FB2010-1Hr-150-0.txt"

// coflows measures the off-rack bytes that placement of reduces saves on a trace of shuffles.
func coflows(s *study.Study) {
	x := readCoflows(s)
	x.cut(s)
	x.replay(s)
}

// coflowTrace contains the shuffles by seed: those of the trace, or drawn ones if it is missing.
type coflowTrace struct {
	lists    [][]workload.Coflow
	racks    int
	recorded bool
}

// readCoflows returns the shuffles of the trace or, without it, drawn ones.
func readCoflows(s *study.Study) *coflowTrace {
	x := &coflowTrace{lists: make([][]workload.Coflow, s.Repeats(1, 10)), racks: workload.CoflowRacks}
	var list []workload.Coflow
	x.recorded = setup.Trace(s, coflowName, func(f *os.File) (err error) {
		list, x.racks, err = workload.ReadCoflows(f, coflowName)
		return err
	})
	n := study.Pick(s, 150, 526)
	if x.recorded {
		n = len(list)
	}
	s.Fill("shuffles", n)
	for i := range x.lists {
		x.lists[i] = list
		if !x.recorded {
			x.lists[i] = workload.DrawCoflows(rand.New(rand.NewPCG(s.Seed+uint64(i), 8)), n)
		}
	}
	return x
}

// offRack returns the bytes of a shuffle that left their rack, and those that would have left it if
// each reduce had run at the center of gravity.
func offRack(c *workload.Coflow) (actual, best float64) {
	for p, rack := range c.Reduces {
		bytes, part := float64(c.Bytes[p]), 1/float64(len(c.Maps))
		best += bytes * (1 - part)
		actual += bytes
		if slices.Contains(c.Maps, rack) {
			actual -= bytes * part
		}
	}
	return actual, best
}

// bestRacks returns what percentage of off-rack bytes reduces on the best racks would save: mean
// and median of the shuffles, then that of all bytes together.
func bestRacks(list []workload.Coflow) []float64 {
	var cuts []float64
	all, least := 0.0, 0.0
	for i := range list {
		actual, best := offRack(&list[i])
		all, least = all+actual, least+best
		if actual > 0 {
			cuts = append(cuts, 100*(1-best/actual))
		}
	}
	slices.Sort(cuts)
	return []float64{study.Average(cuts), study.Median(cuts), 100 * (1 - least/all)}
}

// cut compares the racks on which the reduces of the trace ran with the best racks.
func (x *coflowTrace) cut(s *study.Study) {
	got := study.Samples(len(x.lists), func(i int) []float64 { return bestRacks(x.lists[i]) })
	for i, quantity := range []string{"mean of jobs", "median job", "of all bytes"} {
		if x.recorded {
			got[i] = study.Sure(got[i].Values[0])
		}
		s.Row("by the trace: off-rack bytes saved, "+quantity, got[i])
	}
}

// replay simulates the shuffles with any-node placement and with CoGRS, and adds rows for both.
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
	figure := s.Plot("by-job")
	got := study.Samples(len(x.lists), func(n int) (values []float64) {
		w, err := workload.FromCoflows(x.lists[n],
			workload.TraceOptions{Map: workload.Cost{Time: 5 * time.Second, Spread: 0.3}})
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
	for i, p := range list {
		what := "replayed, " + p.Name + ": off-rack bytes saved over the trace's places, "
		s.Row(what+"mean of jobs", got[2*i])
		s.Row(what+"of all bytes", got[2*i+1])
	}
	s.Row("replayed: mean sojourn, CoGRS over any node", got[4])
	s.Row("replayed: maps in their racks", got[5])
}

// coflowCuts compares a run with the racks of the trace: it returns the percentage of off-rack
// bytes saved for each shuffle, ascending, and the fraction of all off-rack bytes that remains.
func coflowCuts(list []workload.Coflow, res *simulator.Result) (cuts []float64, kept float64) {
	actual := 0.0
	for i := range list {
		was, _ := offRack(&list[i])
		now := float64(res.Jobs[i].Shuffle.OffRack)
		actual += was
		kept += now
		if was > 0 {
			cuts = append(cuts, 100*(1-now/was))
		}
	}
	slices.Sort(cuts)
	return cuts, kept / actual
}
