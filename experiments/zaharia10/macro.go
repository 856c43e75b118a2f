package zaharia10

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The indexes of the policies in the result of macro.
const (
	fifo = iota
	naive
	delay
)

// macroChoice contains the parameters of the macrobenchmarks that the paper does not give.
type macroChoice struct {
	read, compute time.Duration // of a node-local map
	network       simulator.Network
	spread        bool // load manager on, with delay scheduling
}

// plainMacro returns the settings of the figures.
func plainMacro() macroChoice {
	return macroChoice{
		read: setup.MacroBlock, compute: setup.MacroMap - setup.MacroBlock,
		network: setup.Contended(setup.RemoteLink),
	}
}

// macro simulates a load under the three schedulers of [Zaharia10 §5.1]: fifo, naive, delay.
func macro(s *study.Study, m macroChoice, seeds int, load study.Load) study.Comparison {
	list := study.Contenders{
		study.Policy("FIFO", "fifo"), study.Policy("naive fair", "fair"),
		study.Policy("fair + delay", "hfs", setup.Waits(5*time.Second, 0),
			func(p *scheduling.Policy) { p.Spread = m.spread }),
	}
	return s.Compare(setup.MacroCluster(m.read, m.network), list, seeds,
		study.Changed(setup.Capped(s, 20, load), func(j *workload.Job) {
			j.Map.Time += m.compute
			j.Map.Spread = 0.4 // sigma of the lognormal factor on compute
		}))
}

// overlapping returns a load that draws schedules until exactly one pair of the largest jobs
// overlaps: the second is submitted before the first, if alone on the cluster, would have run its
// maps. In the mixed workload, the largest jobs are joins and searches.
func overlapping(load study.Load) study.Load {
	const alone = 12 * (setup.MacroMap + time.Second) // 4,800 maps on 400 slots
	return func(r *rand.Rand) workload.Workload {
		for {
			w, pairs, last := load(r), 0, -alone
			for _, j := range w.Jobs {
				if j.Maps < 2400 {
					continue
				}
				if j.Submit-last < alone {
					pairs++
				}
				last = j.Submit
			}
			if pairs == 1 {
				return w
			}
		}
	}
}

// lengthen scales the times for which a map reads and computes, so that it takes this many seconds.
func (m *macroChoice) lengthen(seconds int) {
	whole := time.Duration(seconds) * time.Second
	m.read = time.Duration(float64(m.read) * whole.Seconds() / setup.MacroMap.Seconds())
	m.compute = whole - m.read
}

// macroChoices returns the changes of settings whose effect the sensitivity table shows.
func macroChoices() []study.Choice[macroChoice] {
	const second = time.Second
	list := append([]study.Choice[macroChoice]{{Name: "as above"}},
		study.Sweep("links of %g MB/s", []float64{15, 18, 35, 125},
			func(m *macroChoice, mb float64) { m.network = setup.Contended(mb * 1e6) })...)
	return append(list,
		study.With("reads 7 s, computes 3 s, links of 18 MB/s", func(m *macroChoice) {
			m.read, m.compute, m.network = 7*second, 3*second, setup.Contended(18e6)
		}),
		study.With("reads 9 s, computes 1 s", func(m *macroChoice) { m.read, m.compute = 9*second, second }),
		study.With("reads 5 s, computes 5 s", halves),
		study.With("the same, remote reads twice as long, no contention", func(m *macroChoice) {
			halves(m)
			m.network = setup.Factors(2, 2)
		}),
		study.With("reads 10 s, computes 0 s, remote reads twice as long, no contention",
			func(m *macroChoice) { m.read, m.compute, m.network = 10*second, 0, setup.Factors(2, 2) }),
		study.With("load manager on", func(m *macroChoice) { m.spread = true }),
	)
}

// halves changes settings: a map reads for 5 s and computes for 5 s.
func halves(m *macroChoice) { m.read, m.compute = 5*time.Second, 5*time.Second }

// bins returns the names of the first n bins, the classes of their jobs.
func bins(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("bin %d", i+1))
	}
	return names
}

// speedups returns, for each job under each seed, its sojourn time under a divided by that under b.
// Without classes it returns all jobs, otherwise those of the classes.
func speedups(a, b *study.Runs, classes ...string) []float64 {
	var all []float64
	for n, ra := range a.Results {
		rb := b.Results[n]
		for i := range ra.Jobs {
			x, y := &ra.Jobs[i], &rb.Jobs[i]
			of := len(classes) == 0 || slices.Contains(classes, x.Class)
			if of && x.Done && y.Done && y.Sojourn() > 0 {
				all = append(all, x.Sojourn().Seconds()/y.Sojourn().Seconds())
			}
		}
	}
	return all
}

// gain returns, by seed, the mean speed-up from one policy to another of the jobs of some classes,
// or of all jobs if no class is given.
func gain(all study.Comparison, from, to int, classes ...string) study.Sample {
	return all.BySeed(func(one study.Comparison) float64 {
		return study.Average(speedups(one[from], one[to], classes...))
	})
}

// greatest returns, by seed, the largest speed-up of a job of some classes, or of any job if no
// class is given.
func greatest(all study.Comparison, from, to int, classes ...string) study.Sample {
	return all.BySeed(func(one study.Comparison) float64 {
		return slices.Max(speedups(one[from], one[to], classes...))
	})
}

// scheduleRange adds a table of how rows vary with the drawn schedule: for each, the minimum, the
// median and the maximum over the seeds.
func scheduleRange(s *study.Study, rows ...*study.Row) {
	t := s.Table("schedules")
	for _, r := range rows {
		v := slices.Sorted(slices.Values(r.Ours.Values))
		t.Add(r.Quantity, v[0], study.Median(v), v[len(v)-1])
	}
}

// macroCDFs draws the distributions of response times, for small, medium and large jobs: bins 1 to
// 3, bins 4 to 8, and the bins in large.
func macroCDFs(s *study.Study, name string, all study.Comparison, large ...string) {
	for _, classes := range [][]string{
		{"bin 1", "bin 2", "bin 3"}, {"bin 4", "bin 5", "bin 6", "bin 7", "bin 8"}, large,
	} {
		f := s.Plot(name + "-" + classes[0][len("bin "):])
		for _, r := range all {
			f.Distribution(r.Name, r.Sojourns(classes...))
		}
	}
}
