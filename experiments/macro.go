package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The contenders of the macrobenchmarks, by their place in macro's answer.
const (
	macroFIFO = iota
	macroNaive
	macroDelay
)

// macroRead is how long a map of the IO-heavy macrobenchmark takes beside its block, half of it reading.
const macroRead = 10 * time.Second

// macroCluster is ec2 with the task times of the macrobenchmarks.
func macroCluster() simulator.Config {
	cfg := ec2()
	cfg.Cluster.ReadRate = 2 * workload.DefaultBlock / macroRead.Seconds()
	cfg.JobSetup, cfg.JobCleanup = 12*time.Second, 6*time.Second
	return cfg
}

// macroSetup describes macroCluster.
func macroSetup(more ...string) []string {
	return append([]string{
		ec2Setup()[0], ec2Setup()[1],
		"A map takes 1 s to set up, reads its block in 5 s beside it and in 10 s elsewhere, and computes for 5 s with a lognormal factor of sigma 0.4 (tasks of one length would end in lockstep). [Zaharia10] says that local tasks are up to twice as fast and that the cluster is underloaded most of the time, which means maps of 8 to 14 s.",
		"Each job takes 12 s to set up and 6 s to clean up: with a map and heartbeats about the 32 s that the paper gives as the median of its smallest jobs.",
		"Contention of tasks for one disk or link is not modelled.",
		"Schedulers: fifo; naive fair (Algorithm 1, greedy); delay = hfs, a pool for each job, W1 = 5 s.",
		"No load manager that spreads tasks under hfs: on an under-loaded cluster it would close nodes with the data to small jobs for longer than W1, which does not go with the published 99 %.",
	}, more...)
}

// macro runs the three schedulers of [Zaharia10 §5.1] over seeds of a workload.
func macro(ctx context.Context, o Options, load func(r *rand.Rand) workload.Workload) ([]simulator.Contest, error) {
	var list []simulator.Contender
	for _, s := range []struct{ show, preset string }{{"FIFO", "fifo"}, {"naive fair", "fair"}, {"fair + delay", "hfs"}} {
		change := func(*scheduling.Policy) {}
		if s.preset == "hfs" {
			change = func(p *scheduling.Policy) {
				waits(5*time.Second, 0)(p)
				p.Spread = false
			}
		}
		p, err := preset(s.preset, change)
		if err != nil {
			return nil, err
		}
		list = append(list, simulator.Contender{Name: s.show, Policy: p})
	}
	cfg := macroCluster()
	cfg.Seed = o.Seed
	return contests(ctx, cfg, list, o.repeats(1, 20), func(r *rand.Rand) workload.Workload {
		w := load(r)
		for i := range w.Jobs {
			w.Jobs[i].Map.Time += macroRead / 2
			w.Jobs[i].Map.Spread = 0.4
		}
		return w
	})
}

// bins are the classes of the jobs in the order of the table; follow-up jobs of joins are left out.
func bins(c *simulator.Contest) []string {
	seen := map[string]bool{}
	var list []string
	for i := range c.Results[0].Jobs {
		if b := c.Results[0].Jobs[i].Class; !seen[b] && len(b) <= len("bin 10") {
			seen[b] = true
			list = append(list, b)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(a)*100 + int(a[len(a)-1]) - len(b)*100 - int(b[len(b)-1]) })
	return list
}

// speedups gives, for each job of a class in each repetition, how many times as fast it was under b as under a.
func speedups(a, b *simulator.Contest, class string) []float64 {
	var all []float64
	for n, ra := range a.Results {
		rb := b.Results[n]
		for i := range ra.Jobs {
			x, y := &ra.Jobs[i], &rb.Jobs[i]
			if (class == "" || x.Class == class) && x.Done && y.Done && y.Sojourn() > 0 {
				all = append(all, x.Sojourn().Seconds()/y.Sojourn().Seconds())
			}
		}
	}
	return all
}

// sojourns gives the sojourn times of the jobs of some classes, in seconds, ascending.
func sojourns(c *simulator.Contest, classes ...string) []float64 {
	var all []float64
	for _, r := range c.Results {
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Done && (len(classes) == 0 || slices.Contains(classes, j.Class)) {
				all = append(all, j.Sojourn().Seconds())
			}
		}
	}
	slices.Sort(all)
	return all
}

// classLocality is the part of a class's maps beside their data, in per cent.
func classLocality(c *simulator.Contest, class string) float64 {
	local, all := 0, 0
	for _, r := range c.Results {
		for i := range r.Jobs {
			if j := &r.Jobs[i]; j.Class == class {
				local += j.Maps.NodeLocal
				all += j.Maps.NodeLocal + j.Maps.RackLocal + j.Maps.OffRack
			}
		}
	}
	return 100 * float64(local) / float64(max(all, 1))
}

// average is the mean of numbers, 0 of none.
func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

// median is the median of ascending numbers, 0 of none.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return x[len(x)/2]
}

// distribution is the empirical distribution function of ascending numbers as a series of at most 200 points.
func distribution(name string, x []float64) Series {
	s := Series{Name: name}
	step := max(1, len(x)/200)
	for i := 0; i < len(x); i += step {
		s.X, s.Y = append(s.X, x[i]), append(s.Y, float64(i+1)/float64(len(x)))
	}
	return s
}

// macroCDFs draws the distributions of response times of three ranges of bins.
func macroCDFs(name string, all []simulator.Contest, ranges [][]string) []Figure {
	var figures []Figure
	for _, classes := range ranges {
		f := Figure{
			Name: fmt.Sprintf("%s-%s", name, classes[0][len("bin "):]), Title: fmt.Sprintf("Response times, %s to %s", classes[0], classes[len(classes)-1]),
			X: "seconds", Y: "part of the jobs", Steps: true,
		}
		for i := range all {
			f.Series = append(f.Series, distribution(all[i].Name, sojourns(&all[i], classes...)))
		}
		figures = append(figures, f)
	}
	return figures
}

// smallMediumLarge are the ranges of bins drawn together.
func smallMediumLarge() [][]string {
	return [][]string{{"bin 1", "bin 2", "bin 3"}, {"bin 4", "bin 5", "bin 6", "bin 7", "bin 8"}, {"bin 9"}}
}
