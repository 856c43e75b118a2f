package own

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// rivalWait is W1 of delay scheduling, and what Quincy takes a read off the data to cost.
const rivalWait = 5 * time.Second

// The contenders, by their place in the list.
const (
	rivalFIFO = iota
	rivalFair
	rivalDelay
	rivalHFS
	rivalQF
	rivalPatient
	rivalQFP
)

// rivals are the schedulers that are compared.
func rivals() []simulator.Contender {
	quincy := func(rule scheduling.QuincyRule, floor float64) scheduling.Policy {
		return setup.Preset("quincy", func(p *scheduling.Policy) {
			p.Quincy = scheduling.QuincyPolicy{Rule: rule, Rack: rivalWait, Far: rivalWait, Floor: floor}
		})
	}
	hfs := setup.Preset("hfs", func(p *scheduling.Policy) {
		setup.Waits(rivalWait, 0)(p)
		p.Spread = false
	})
	return []simulator.Contender{
		rivalFIFO:    {Name: "fifo", Policy: setup.Preset("fifo", nil)},
		rivalFair:    {Name: "fair", Policy: setup.Preset("fair", nil)},
		rivalDelay:   {Name: "delay", Policy: setup.Preset("delay", nil)},
		rivalHFS:     {Name: "hfs", Policy: hfs},
		rivalQF:      {Name: "quincy QF", Policy: quincy(scheduling.QF, 0)},
		rivalPatient: {Name: "quincy QF, no floor", Policy: quincy(scheduling.QF, -1)},
		rivalQFP:     {Name: "quincy QFP", Policy: quincy(scheduling.QFP, 0)},
	}
}

// rivalLoad is a workload of the comparison.
type rivalLoad struct {
	name string
	cfg  simulator.Config
	load func(*rand.Rand) workload.Workload
}

// rivalLoads are those of the paper on delay scheduling: maps of some seconds, and such as take long.
func rivalLoads(o study.Options) []rivalLoad {
	compute := func(load func(*rand.Rand) workload.Workload, more time.Duration) func(*rand.Rand) workload.Workload {
		return setup.OldCapped(o, 20, func(r *rand.Rand) workload.Workload {
			w := load(r)
			for i := range w.Jobs {
				w.Jobs[i].Map.Time += more
				w.Jobs[i].Map.Spread = 0.4
			}
			return w
		})
	}
	cluster := setup.MacroCluster(setup.MacroBlock, setup.Contended(setup.RemoteLink))
	one := cluster
	one.Cluster.MapSlots = 1
	list := []rivalLoad{
		{"IO-heavy", cluster, compute(workload.FacebookIO, setup.MacroMap-setup.MacroBlock)},
		{"long maps, one slot", one, compute(longScans, 60*time.Second)},
	}
	if o.Quick {
		return list[1:2]
	}
	return list
}

// longScans are ten jobs that fill nine tenths of 100 slots once their maps compute for a minute.
func longScans(*rand.Rand) workload.Workload {
	w := workload.Scans(10, 50, 0)
	for i := range w.Jobs {
		w.Jobs[i].Submit = time.Duration(i) * 40 * time.Second
	}
	return w
}

// Rivals compares delay scheduling with Quincy, which weighs all maps against all slots and kills.
func Rivals(ctx context.Context, o study.Options) (*study.Result, error) {
	list := rivals()
	r := &study.Result{Setup: rivalsSetup(), Notes: rivalsNotes()}
	local := study.Figure{Name: "locality", Title: "Node-local maps", X: "scheduler", Y: "node-local (%)"}
	for _, c := range list {
		local.Categories = append(local.Categories, c.Name)
	}
	for _, l := range rivalLoads(o) {
		l.cfg.Seed = o.Seed
		all, err := setup.Contests(ctx, l.cfg, list, o.Repeats(1, 10), l.load)
		if err != nil {
			return nil, err
		}
		slots := l.cfg.Cluster.Nodes * l.cfg.Cluster.MapSlots
		r.Add(rivalRows(l.name, slots, all)...)
		series := &study.Series{Name: l.name}
		for i := range all {
			series.Y = append(series.Y, setup.Each(&all[i], setup.NodeLocal).Mean())
		}
		local.Series = append(local.Series, series)
		r.Tables = append(r.Tables, rivalTable(l.name, slots, all))
	}
	r.Figures = []study.Figure{local}
	return r, nil
}

// rivalRows judge what the paper on delay scheduling says of its rival, and show the rest.
func rivalRows(name string, slots int, all []simulator.Contest) (rows []study.Row) {
	for i := range all {
		c := &all[i]
		rows = append(rows,
			study.Shown(name+", "+c.Name+": node-local", "%", setup.Each(c, setup.NodeLocal)),
			study.Shown(name+", "+c.Name+": mean sojourn", "s", setup.Each(c, setup.MeanSojourn)),
			study.Shown(name+", "+c.Name+": 95th percentile of the sojourn", "s",
				setup.Each(c, func(r *simulator.Result) float64 { return r.Report.Sojourn.P95 })))
	}
	over := func(a, b int) study.Sample {
		return setup.Each(&all[a], setup.MeanSojourn).Over(setup.Each(&all[b], setup.MeanSojourn))
	}
	return append(rows,
		study.OwnRow(name+": node-local maps, hfs less quincy QF", "points",
			"waiting finds more data than the best of the slots at hand", study.More(0),
			setup.Each(&all[rivalHFS], setup.NodeLocal).Minus(setup.Each(&all[rivalQF], setup.NodeLocal))),
		study.OwnRow(name+": mean sojourn, quincy QFP over hfs", "×",
			"waiting can be as effective as killing", study.Harmless(), over(rivalQFP, rivalHFS)),
		study.OwnRow(name+": work that quincy QFP loses by kills", "%", "killing wastes computation",
			study.More(0), setup.Each(&all[rivalQFP], wasted(slots))),
		study.Shown(name+": mean sojourn, quincy QF with a floor over none", "×", over(rivalQF, rivalPatient)),
	)
}

// wasted is what attempts that were killed had worked, in per cent of the time that all held map
// slots, of which the cluster has so many.
func wasted(slots int) func(r *simulator.Result) float64 {
	return func(r *simulator.Result) float64 {
		held := r.Report.Utilization.Map * r.Report.MakespanS * float64(slots)
		return 100 * r.Report.Preempted.LostS / held
	}
}

// rivalTable shows locality and sojourn by size of jobs, over all seeds.
func rivalTable(name string, slots int, all []simulator.Contest) study.Table {
	t := study.Table{
		Name:  "sizes-" + strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-"),
		Title: name + ": by maps of the job; sojourns in seconds",
		Columns: []string{
			"scheduler", "to 10: local %", "mean", "p95", "to 200: local %", "mean", "p95", "more: local %", "mean", "p95",
			"killed", "lost %",
		},
	}
	for i := range all {
		var line []float64
		for _, size := range [...][2]int{{1, 10}, {11, 200}, {201, 1 << 30}} {
			line = append(line, bySize(&all[i], size[0], size[1])...)
		}
		killed := setup.Each(&all[i], func(r *simulator.Result) float64 { return float64(r.Report.Preempted.Killed) })
		t.Add(all[i].Name, append(line, killed.Mean(), setup.Each(&all[i], wasted(slots)).Mean())...)
	}
	return t
}

// bySize is the part of node-local maps in per cent, and the mean and the 95th percentile of the
// sojourn, of the jobs with so many maps; dashes if there are none.
func bySize(c *simulator.Contest, least, most int) []float64 {
	var places simulator.MapPlaces
	var all []float64
	for _, r := range c.Results {
		for i := range r.Jobs {
			j := &r.Jobs[i]
			if n := j.Maps.NodeLocal + j.Maps.RackLocal + j.Maps.OffRack; !j.Done || n < least || n > most {
				continue
			}
			places.NodeLocal += j.Maps.NodeLocal
			places.RackLocal += j.Maps.RackLocal
			places.OffRack += j.Maps.OffRack
			all = append(all, j.Sojourn().Seconds())
		}
	}
	if len(all) == 0 {
		return []float64{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(all)
	return []float64{100 * places.Share(scheduling.NodeLocal), setup.Average(all), all[(len(all)-1)*95/100]}
}

func rivalsSetup() []string {
	return []string{
		setup.EC2Setup()[0], setup.EC2Setup()[1], setup.ContendedSetup,
		"IO-heavy: the jobs of [Zaharia10 §5.1.1]; a map reads for 7 s beside its block and " +
			"computes for 3 s, lognormal factor of sigma 0.4. Long maps: a job of 50 maps every 40 s, 10 in all, that compute " +
			"for 60 s, on nodes of one map slot, where [Zaharia10 §7] expects killing to matter.",
		fmt.Sprintf("hfs waits W1 = %v for a node; a read off the data costs Quincy as much as a map that waits "+
			"for %v, the other numbers of its preset. QF does not kill, QFP does; no floor: a job waits for its data "+
			"below its share, too.", rivalWait, rivalWait),
		"One rack, so that Quincy's costs within and beyond a rack are one.",
	}
}

func rivalsNotes() []string {
	return []string{
		"[Isard09] has no run on these workloads, and [Zaharia10 §7] compares in words: no row is published. What is " +
			"claimed are those words, written down before the first run of this experiment, though after one simulation " +
			"of the IO-heavy jobs without contention.",
		"Quincy here looks at running maps once a second and gives out slots as nodes ask; where it differs from the " +
			"paper is told in docs/decisions/0002.",
	}
}
