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
	load := hotJobs(s, study.Pick(s, 200, 600))
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
			w.ReplicateHot(cfg.Cluster.Replicas, cfg.Cluster.Nodes, budget)
			return w
		})
		all = append(all, c)
		name := fmt.Sprintf("R = 3 and %g %%", 100*budget)
		for _, r := range c {
			bars.Bar(r.Name, name, r.By(study.NodeLocal).Mean())
			hotRows(s, name+", "+r.Name, r)
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

// hotRows adds rows for the runs r under one policy: locality, also by class of file, and sojourn.
func hotRows(s *study.Study, name string, r *study.Runs) {
	s.Row(name+": node-local", r.By(study.NodeLocal))
	s.Row(name+": mean sojourn", r.By(study.MeanSojourn))
	for _, class := range []string{"hottest file", "next nine files", "other files"} {
		if v := r.Local(class, scheduling.NodeLocal); v.Mean() > 0 {
			s.Row(name+": node-local, "+class, v)
		}
	}
}

// popular returns a load of drawn jobs that read files as popular as those of a Facebook trace.
func popular(jobs int) study.Load {
	return func(r *rand.Rand) workload.Workload {
		gap := workload.Dist{Shape: workload.Exponential, A: 0.6}
		return workload.HotFiles(r, jobs, 100, 1.03, gap)
	}
}

// hotJobs returns jobs on popular files: those of the trace with input paths if it is there, or
// drawn ones.
func hotJobs(s *study.Study, jobs int) study.Load {
	const name = "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv"
	var w workload.Workload
	if !setup.Trace(s, name, func(f *os.File) (err error) {
		w, err = workload.ReadSWIM(f, name, workload.TraceOptions{
			Nodes: 100, OriginalNodes: 3000, Jobs: 5 * jobs, MaxMaps: 100, MaxReduces: 200,
		})
		return err
	}) {
		s.Fill("jobs", jobs)
		return popular(jobs)
	}
	s.Fill("jobs", len(w.Jobs))
	return func(*rand.Rand) workload.Workload {
		one := w
		one.Files = slices.Clone(w.Files)
		return one
	}
}
