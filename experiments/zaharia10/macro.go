package zaharia10

import (
	"context"
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

// The contenders of the macrobenchmarks, by their place in macro's answer.
const (
	macroFIFO = iota
	macroNaive
	macroDelay
)

// macroChoice is what the paper leaves open of the macrobenchmarks.
type macroChoice struct {
	name          string
	read, compute time.Duration // of a map beside its block
	sigma         float64       // of the lognormal factor on compute
	network       simulator.Network
	spread        bool // load manager on, with delay scheduling
}

// plainMacro is the set-up of the figures.
func plainMacro() macroChoice {
	return macroChoice{
		read: setup.MacroBlock, compute: setup.MacroMap - setup.MacroBlock, sigma: 0.4,
		network: setup.Contended(setup.RemoteLink),
	}
}

// cluster is EC2 with these tasks.
func (m macroChoice) cluster() simulator.Config { return setup.MacroCluster(m.read, m.network) }

// macroSetup describes plainMacro.
func macroSetup(more ...string) []string {
	return append([]string{
		setup.EC2Setup()[0], setup.EC2Setup()[1],
		"A map takes 1 s to set up, 7 s to read its block beside it, and computes for 3 s with a " +
			"lognormal factor of sigma 0.4 (tasks of one length would end in lockstep). " +
			"[Zaharia10] says that the search is almost entirely bound by IO and that the " +
			"cluster is underloaded most of the time, which means maps of 8 to 14 s.",
		setup.ContendedSetup,
		"Each job takes 12 s to set up and 6 s to clean up: with a map and heartbeats about the " +
			"32 s that the paper gives as the median of its smallest jobs.",
		"Schedulers: fifo; naive fair (Algorithm 1, greedy); delay = hfs, a pool for each job, " +
			"W1 = 5 s.",
		"No load manager that spreads tasks under hfs: on an under-loaded cluster it would close " +
			"nodes with the data to small jobs for longer than W1, which does not go with the " +
			"published 99 %.",
	}, more...)
}

// macroChosen says how the set-up came about.
const macroChosen = "Three set-ups with other splits of reading and computing, or without " +
	"contention, were run before this one was chosen; the tables of delay-fig5 and delay-fig9 " +
	"have two of them."

// macro runs the three schedulers of [Zaharia10 §5.1] over seeds of a workload.
func macro(
	ctx context.Context, o study.Options, m macroChoice, repeat int,
	load func(r *rand.Rand) workload.Workload,
) ([]simulator.Contest, error) {
	var list []simulator.Contender
	for _, s := range []struct{ show, preset string }{
		{"FIFO", "fifo"}, {"naive fair", "fair"}, {"fair + delay", "hfs"},
	} {
		change := func(*scheduling.Policy) {}
		if s.preset == "hfs" {
			change = func(p *scheduling.Policy) {
				setup.Waits(5*time.Second, 0)(p)
				p.Spread = m.spread
			}
		}
		p := setup.Preset(s.preset, change)
		list = append(list, simulator.Contender{Name: s.show, Policy: p})
	}
	cfg := m.cluster()
	cfg.Seed, load = o.Seed, setup.Capped(o, 20, load)
	return setup.Contests(ctx, cfg, list, repeat, func(r *rand.Rand) workload.Workload {
		w := load(r)
		for i := range w.Jobs {
			w.Jobs[i].Map.Time += m.compute
			w.Jobs[i].Map.Spread = m.sigma
		}
		return w
	})
}

// shorter is the set-up with maps of another length, read and computing alike.
func (m macroChoice) shorter(whole time.Duration) macroChoice {
	m.read = time.Duration(float64(m.read) * whole.Seconds() / setup.MacroMap.Seconds())
	m.compute = whole - m.read
	m.name = fmt.Sprintf("maps of %v", whole)
	return m
}

// macroLoads are the lengths of maps of the tables on the cluster's load.
func macroLoads(o study.Options) []time.Duration {
	if o.Quick {
		return []time.Duration{setup.MacroMap}
	}
	return []time.Duration{4 * time.Second, 6 * time.Second, 8 * time.Second, setup.MacroMap}
}

// macroSeeds is how many seeds the macrobenchmarks run.
func macroSeeds(o study.Options) int { return o.Repeats(1, 10) }

// macroChoices are the set-ups of the sensitivity tables.
func macroChoices() []macroChoice {
	list := []macroChoice{plainMacro()}
	list[0].name = "as above"
	add := func(name string, change func(*macroChoice)) {
		m := plainMacro()
		change(&m)
		m.name = name
		list = append(list, m)
	}
	for _, mb := range []float64{12.5, 15, 25, 125} {
		add(fmt.Sprintf("links of %g MB/s", mb),
			func(m *macroChoice) { m.network = setup.Contended(mb * 1e6) })
	}
	twice := simulator.Network{ReadFactor: [3]float64{1, 2, 2}}
	add("reads 9 s, computes 1 s",
		func(m *macroChoice) { m.read, m.compute = 9*time.Second, time.Second })
	add("reads 5 s, computes 5 s",
		func(m *macroChoice) { m.read, m.compute = 5*time.Second, 5*time.Second })
	add("the same, remote reads twice as long, no contention",
		func(m *macroChoice) { m.read, m.compute, m.network = 5*time.Second, 5*time.Second, twice })
	add("reads 10 s, computes 0 s, remote reads twice as long, no contention",
		func(m *macroChoice) {
			m.read, m.compute, m.network = 10*time.Second, 0, twice
		})
	add("load manager on", func(m *macroChoice) { m.spread = true })
	return list
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
	slices.SortFunc(list,
		func(a, b string) int {
			return len(a)*100 + int(a[len(a)-1]) - len(b)*100 - int(b[len(b)-1])
		})
	return list
}

// speedups gives, for each job of some classes (all if none is named) in each repetition, how many
// times as fast it was under b as under a.
func speedups(a, b *simulator.Contest, classes ...string) []float64 {
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

// gain is the mean speed-up of the jobs of some classes, all if none is named, from one of macro's
// contenders to another, by seed.
func gain(all []simulator.Contest, from, to int, classes ...string) study.Sample {
	return setup.Seeds(all, func(one []simulator.Contest) float64 {
		return setup.Average(speedups(&one[from], &one[to], classes...))
	})
}

// greatest is the largest speed-up of a job of some classes, all if none is named, by seed.
func greatest(all []simulator.Contest, from, to int, classes ...string) study.Sample {
	return setup.Seeds(all, func(one []simulator.Contest) float64 {
		return slices.Max(speedups(&one[from], &one[to], classes...))
	})
}

// scheduleRange is a table of rows by schedule: the least, the median and the greatest over the
// seeds.
func scheduleRange(rows ...study.Row) study.Table {
	t := study.Table{
		Name: "schedules", Title: "Each seed draws a schedule; over the seeds",
		Columns: []string{"quantity", "least", "median", "greatest"},
	}
	for _, r := range rows {
		v := slices.Sorted(slices.Values(r.Ours.Values))
		t.Add(r.Quantity, v[0], setup.Median(v), v[len(v)-1])
	}
	return t
}

// macroCDFs draws the distributions of response times of three ranges of bins.
func macroCDFs(name string, all []simulator.Contest, ranges [][]string) []study.Figure {
	var figures []study.Figure
	for _, classes := range ranges {
		f := study.Figure{
			Name:  fmt.Sprintf("%s-%s", name, classes[0][len("bin "):]),
			Title: fmt.Sprintf("Response times, %s to %s", classes[0], classes[len(classes)-1]),
			X:     "seconds", Y: "part of the jobs", Steps: true,
		}
		for i := range all {
			f.Series = append(f.Series,
				setup.Distribution(all[i].Name, setup.Sojourns(&all[i], classes...)))
		}
		figures = append(figures, f)
	}
	return figures
}

// smallMediumLarge are the ranges of bins drawn together.
func smallMediumLarge() [][]string {
	return [][]string{
		{"bin 1", "bin 2", "bin 3"}, {"bin 4", "bin 5", "bin 6", "bin 7", "bin 8"}, {"bin 9"},
	}
}
