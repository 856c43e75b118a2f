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

// coflows measures the off-rack bytes that placement of reduces saves on a trace of shuffles: it
// compares the racks on which the reduces of the trace ran with the best racks, and simulates the
// shuffles with any-node placement and with CoGRS.
func coflows(s *study.Study) {
	loads, recorded := readCoflows(s)
	best := study.Samples(len(loads), func(n int) []float64 {
		cuts, all := savedBytes(loads[n].Jobs, func(i int) float64 {
			_, best := offRack(&loads[n].Jobs[i])
			return best
		})
		return []float64{study.Average(cuts), study.Median(cuts), all}
	})
	for i, quantity := range []string{"mean of jobs", "median job", "of all bytes"} {
		if recorded {
			best[i] = study.Sure(best[i].Values[0])
		}
		s.Row("by the trace: off-rack bytes saved, "+quantity, best[i])
	}
	list := setup.Placements(1, setup.Waits(time.Hour, 24*time.Hour), func(p *scheduling.Policy) {
		if p.Reduce.Rule == scheduling.CoGRS {
			p.Reduce.Theta, p.Reduce.Waits = -1, reduceWaits
		}
	})[:2]
	cfg := simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: 2 * workload.CoflowRacks, Racks: workload.CoflowRacks, MapSlots: 4, ReduceSlots: 8, MergeRate: -1,
		}, Network: simulator.Network{ShuffleRate: 1e9},
		Interval: setup.BeatEvery, TellProgress: true,
	}
	figure := s.Plot("by-job")
	got := study.Samples(len(loads), func(n int) (values []float64) {
		for i := range loads[n].Jobs {
			loads[n].Jobs[i].Map = workload.Cost{Time: 5 * time.Second, Spread: 0.3}
		}
		cfg.Seed = uint64(n)
		all := s.Compare(cfg, list, 1, study.Always(loads[n]))
		for _, r := range all {
			cuts, bytes := savedBytes(loads[n].Jobs,
				func(i int) float64 { return float64(r.Results[0].Jobs[i].Shuffle.OffRack) })
			values = append(values, study.Average(cuts), bytes)
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

// readCoflows returns the shuffles by seed: those of the trace, or drawn ones if it is missing.
func readCoflows(s *study.Study) (loads []workload.Workload, recorded bool) {
	var w workload.Workload
	recorded = setup.Trace(s, coflowName, func(f *os.File) (err error) {
		w, err = workload.Read("coflow", f, coflowName, workload.TraceOptions{})
		return err
	})
	n := study.Pick(s, 150, 526)
	if recorded {
		n = len(w.Jobs)
	}
	s.Fill("shuffles", n)
	for i := range s.Repeats(1, 10) {
		if !recorded {
			w = workload.DrawCoflows(rand.New(rand.NewPCG(s.Seed+uint64(i), 8)), n)
		}
		loads = append(loads, w)
	}
	return loads, recorded
}

// offRack returns the bytes of a shuffle that left their rack, and those that would have left it if
// each reduce had run at the center of gravity.
func offRack(j *workload.Job) (actual, best float64) {
	for p, rack := range j.ReduceRacks {
		bytes, part := float64(j.Partitions[p]), 1/float64(j.Maps)
		best += bytes * (1 - part)
		actual += bytes
		if slices.Contains(j.MapRacks, rack) {
			actual -= bytes * part
		}
	}
	return actual, best
}

// savedBytes compares the off-rack bytes of each shuffle in the trace with other ones (now). It
// returns the percentage saved for each shuffle, ascending, and that for all bytes together.
func savedBytes(list []workload.Job, now func(i int) float64) (cuts []float64, all float64) {
	was, is := 0.0, 0.0
	for i := range list {
		actual, _ := offRack(&list[i])
		was, is = was+actual, is+now(i)
		if actual > 0 {
			cuts = append(cuts, 100*(1-now(i)/actual))
		}
	}
	slices.Sort(cuts)
	return cuts, 100 * (1 - is/was)
}
