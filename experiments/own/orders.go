package own

import (
	"math/rand/v2"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// orders compares all orders of jobs on one workload.
func orders(s *study.Study) {
	var list study.Contenders
	for _, name := range []string{"fifo", "fair", "capacity", "hfs", "hfsp", "srpt"} {
		list = append(list, study.Policy(name, name))
	}
	cfg := setup.MacroCluster(setup.MacroBlock, setup.Contended(setup.RemoteLink))
	all := s.Compare(cfg, list, s.Repeats(1, 10),
		setup.Capped(s, 0, func(r *rand.Rand) workload.Workload {
			return workload.FacebookCPU(r, setup.MacroMap)
		}))
	bars := s.Plot("orders")
	for _, r := range all {
		mean := r.By(study.MeanSojourn)
		median := r.By(func(r *simulator.Result) float64 { return r.Report.Sojourn.Median })
		bars.BarSample("mean", r.Name, mean)
		bars.Bar("median", r.Name, median.Mean())
		s.Row(r.Name+": mean sojourn", mean)
		s.Row(r.Name+": Jain's index of the jobs' speeds",
			r.By(func(r *simulator.Result) float64 { return r.Report.FairnessJain }))
		s.Row(r.Name+": node-local", r.By(study.NodeLocal))
	}
	s.Row("mean sojourn FIFO over fair", all.Over(0, 1, study.MeanSojourn))
}
