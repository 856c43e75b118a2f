package own

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// facebookTrace compares all combinations of order, wait and reduce placement on a Facebook trace.
func facebookTrace(s *study.Study) {
	sojourn, bytes := s.Plot("sojourn"), s.Plot("off-rack")
	var list study.Contenders
	for _, order := range []string{"fifo", "hfs", "hfsp"} {
		for _, wait := range []time.Duration{0, 5 * time.Second} {
			name := fmt.Sprintf("%s, W = %v", order, wait)
			waits := setup.Waits(wait, wait)
			list = append(list,
				study.Policy(name+", reduces anywhere", order, waits, setup.Reduces(scheduling.AnyNode, 0.5)),
				study.Policy(name+", reduces at the center", order, waits, setup.Reduces(scheduling.CoGRS, 0.5)))
		}
	}
	cfg := setup.EC2()
	cfg.Cluster.Racks, cfg.Cluster.ReadRate = 5, 20e6
	cfg.SizeCells, cfg.TellProgress = 100_000, true
	const trace, speed = "FB-2009_samples_24_times_1hr_0.tsv", 50
	load := workload.FBDataset // without the trace
	if setup.Trace(s, trace, func(f *os.File) error {
		w, err := workload.Read("swim", f, trace, workload.TraceOptions{
			Nodes: 100, OriginalNodes: 600, Jobs: study.Pick(s, 600, 0), MaxMaps: 1000,
			MaxReduces: 200, TimeScale: 1.0 / speed, Skew: workload.Skew{Cells: 1},
		})
		load = study.Always(w)
		return err
	}) {
		s.Fill("jobs", len(load(nil).Jobs), "speed", speed)
	}
	all := s.Compare(cfg, list, s.Repeats(1, 10), load)
	for _, r := range all {
		mean, off := r.By(study.MeanSojourn), r.By(study.OffRack).Times(1e-9)
		s.Row(r.Name+": mean sojourn", mean)
		s.Row(r.Name+": node-local", r.By(study.NodeLocal))
		s.Row(r.Name+": shuffled off the rack", off)
		order, where, _ := strings.Cut(r.Name, ", reduces ")
		sojourn.BarSample("reduces "+where, order, mean)
		bytes.BarSample("reduces "+where, order, off)
	}
	const fifo, greedy, native, center = 2, 4, 6, 7 // fifo, 5 s; hfs, 0 s, 5 s, 5 s at the center
	s.Row("hfs, W = 5s: off-rack bytes saved at the center, of all bytes",
		all.Saved(center, native, study.OffRack))
	s.Row("hfs, W = 5s: off-rack bytes saved at the center, mean of jobs that shuffle",
		all.BySeed(func(one study.Comparison) float64 {
			var cuts []float64
			for i, j := range one[native].Results[0].Jobs {
				if a, b := j.Shuffle.OffRack, one[center].Results[0].Jobs[i].Shuffle.OffRack; a > 0 {
					cuts = append(cuts, 100*(1-float64(b)/float64(a)))
				}
			}
			return study.Average(cuts)
		}))
	s.Row("mean sojourn, fifo over hfs, W = 5s", all.Over(fifo, native, study.MeanSojourn))
	s.Row("node-local maps that waiting adds, hfs", all.Less(native, greedy, study.NodeLocal))
}
