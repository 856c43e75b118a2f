package own

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// failures measures jobs while nodes fail at some rates, with any-node placement and with CoGRS.
func failures(s *study.Study) {
	list := study.Contenders{
		study.Policy("any node", "hfs", setup.Reduces(scheduling.AnyNode, 0.5)),
		study.Policy("CoGRS", "hfs", setup.Reduces(scheduling.CoGRS, 0.5)),
	}
	fig := s.Plot("makespan")
	load := setup.ShuffleJobs(setup.Shuffles{Jobs: 20, Maps: 56, Reduces: 20, Sigma: 1, Ratio: 1})
	var base study.Comparison
	for _, hours := range []float64{0, 8, 2, 0.5} {
		cfg := setup.EC2()
		cfg.Cluster.Racks, cfg.Core.Expiry = 4, 30*time.Second
		cfg.TellProgress, cfg.Failures.MTBF = true, time.Duration(hours*float64(time.Hour))
		all := s.Compare(cfg, list, s.Repeats(1, 10), load)
		name, rate := fmt.Sprintf("a node fails each %g h", hours), 1/hours
		if hours == 0 {
			name, rate, base = "no failures", 0, all
		}
		for k, r := range all {
			slower := r.By(study.Makespan).Over(base[k].By(study.Makespan))
			fig.AddSample(r.Name, rate, slower)
			s.Row(name+", "+r.Name+": jobs ended",
				r.By(func(r *simulator.Result) float64 { return float64(r.Report.Jobs) }))
			s.Row(name+", "+r.Name+": makespan against none", slower)
		}
		s.Row(name+": off-rack bytes saved by CoGRS", all.Saved(1, 0, study.OffRack))
	}
}
