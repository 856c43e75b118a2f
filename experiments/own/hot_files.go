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
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// hotFiles measures many jobs that read few files, with and without additional replicas of these
// files, and with and without delay scheduling.
func hotFiles(s *study.Study) {
	const trace = "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv"
	jobs := study.Pick(s, 200, 600)
	load := popular(jobs) // without the trace
	if setup.Trace(s, trace, func(f *os.File) error {
		w, err := workload.Read("swim", f, trace, workload.TraceOptions{
			Nodes: 100, OriginalNodes: 3000, Jobs: 5 * jobs, MaxMaps: 100, MaxReduces: 200,
		})
		load = study.Always(w)
		return err
	}) {
		jobs = len(load(nil).Jobs)
	}
	s.Fill("jobs", jobs)
	list := study.Contenders{
		study.Policy("greedy", "fair", setup.Waits(0, 0)),
		study.Policy("delay 5 s", "fair", setup.Waits(5*time.Second, 0)),
	}
	bars := s.Plot("hot-files")
	cfg := setup.EC2()
	cfg.Cluster.Racks = 5
	var all []study.Comparison // by the fraction of additional replicas
	for _, budget := range []float64{0, 0.05, 0.2, 0.5} {
		c := s.Compare(cfg, list, s.Repeats(1, 10), func(r *rand.Rand) workload.Workload {
			w := load(r)
			w.Files = slices.Clone(w.Files)
			w.ReplicateHot(cfg.Cluster.Replicas, cfg.Cluster.Nodes, budget)
			return w
		})
		all = append(all, c)
		name := fmt.Sprintf("R = 3 and %g %%", 100*budget)
		for _, r := range c {
			bars.Bar(r.Name, name, r.By(study.NodeLocal).Mean())
			s.Row(name+", "+r.Name+": node-local", r.By(study.NodeLocal))
			s.Row(name+", "+r.Name+": mean sojourn", r.By(study.MeanSojourn))
			for _, class := range []string{"hottest file", "next nine files", "other files"} {
				if v := r.Local(class, scheduling.NodeLocal); v.Mean() > 0 {
					s.Row(name+", "+r.Name+": node-local, "+class, v)
				}
			}
		}
	}
	first, last := all[0], all[len(all)-1]
	gain := func(i int) study.Sample {
		return last[i].By(study.NodeLocal).Minus(first[i].By(study.NodeLocal))
	}
	s.Row("node-local maps that 50 % more replicas add, greedy less delay 5 s",
		gain(0).Minus(gain(1)))
	s.Row("delay 5 s: node-local maps that 50 % more replicas add", gain(1))
	s.Row("greedy: mean sojourn with R = 3 over 50 % more replicas",
		first[0].By(study.MeanSojourn).Over(last[0].By(study.MeanSojourn)))
}

// popular returns a load of drawn jobs that read files as popular as those of a Facebook trace.
func popular(jobs int) study.Load {
	return func(r *rand.Rand) workload.Workload {
		gap := workload.Dist{Shape: workload.Exponential, A: 0.6}
		return workload.HotFiles(r, jobs, 100, 1.03, gap)
	}
}
