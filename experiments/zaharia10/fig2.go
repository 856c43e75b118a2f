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

// Fig2 is [Zaharia10 Figs 1 and 2, §3.2, §3.3.1]: a cluster like Facebook's under HFS without delay
// scheduling, its tasks' and jobs' times and the locality of jobs by size.
func Fig2(ctx context.Context, o study.Options) (*study.Result, error) {
	jobs, repeat := 1500, o.Repeats(1, 10)
	if o.Quick {
		jobs = 100
	}
	naive, err := warehouseRun(ctx, o, jobs, repeat, warehouse(), warehousePolicy(0, 0))
	if err != nil {
		return nil, err
	}
	delay, err := warehouseRun(ctx, o, jobs, repeat, warehouse(),
		warehousePolicy(10*time.Second, 10*time.Second))
	if err != nil {
		return nil, err
	}
	r := &study.Result{
		Setup: append(warehouseSetup(),
			fmt.Sprintf("%d jobs, a third of a day in the full version; policy hfs with a pool "+
				"for each of 200 users, greedy; beside it W1 = W2 = 10 s.", jobs)),
	}
	names := warehouseBins()
	fig := study.Figure{
		Name: "fig2", Title: "Locality by job size, HFS without delay", X: "maps of the job",
		Y: "maps (%)", Categories: names,
		Series: []*study.Series{{Name: "node-local"}, {Name: "rack-local or nearer"}},
	}
	other := study.Figure{
		Name: "fig2-delay", Title: "Locality by job size, W1 = W2 = 10 s", X: "maps of the job",
		Y: "maps (%)", Categories: names, Series: []*study.Series{{Name: "node-local"}, {Name: "rack-local or nearer"}},
	}
	for _, b := range names {
		for level := range 2 {
			fig.Series[level].Y = append(fig.Series[level].Y,
				setup.ClassLocality(naive, b, scheduling.Locality(level)))
			other.Series[level].Y = append(other.Series[level].Y,
				setup.ClassLocality(delay, b, scheduling.Locality(level)))
		}
	}
	first := names[0]
	r.Rows = append(warehouseTimes(naive),
		study.PrintedRow("Fig 2: jobs of 1 to 25 maps: node-local", "%", 5, study.Share,
			setup.Local(naive, first, scheduling.NodeLocal)),
		study.PrintedRow("Fig 2: jobs of 1 to 25 maps: rack-local or nearer", "%", 59,
			study.Share, setup.Local(naive, first, scheduling.RackLocal)),
		study.OwnRow("Fig 2: node-local, least rise from bin to bin", "points",
			"rises with size", study.More(0), leastRise(naive, scheduling.NodeLocal)),
		study.OwnRow("Fig 2: rack-local or nearer, last bin less first", "points",
			"rises with size", study.More(0),
			setup.Local(naive, names[len(names)-1], scheduling.RackLocal).
				Minus(setup.Local(naive, first, scheduling.RackLocal))),
		study.Known("jobs of 1 to 25 maps, W1 = W2 = 10 s: node-local", "%", 73,
			setup.Local(delay, first, scheduling.NodeLocal)).Saying("of one map, §4.1's bound"))
	r.Figures = []study.Figure{fig, other}
	r.Notes = fig2Notes()
	return r, r.AddTables(ctx, o, func(ctx context.Context, o study.Options) (study.Table, error) {
		return warehouseTable(ctx, o, jobs/3)
	})
}

// warehouseTable shows how the locality of the smallest jobs moves with the set-up.
func warehouseTable(ctx context.Context, o study.Options, jobs int) (study.Table, error) {
	first := warehouseBins()[0]
	t := study.Table{
		Name: "sensitivity", Title: "Jobs of 1 to 25 maps without delay, one choice changed",
		Columns: []string{"choice", "node-local (%)", "rack-local or nearer (%)"},
	}
	for _, c := range warehouseChoices(o) {
		cfg, p := warehouse(), warehousePolicy(0, 0)
		c.change(&cfg, &p)
		got, err := warehouseRun(ctx, o, jobs, 1, cfg, p)
		if err != nil {
			return t, err
		}
		t.Add(c.name, setup.ClassLocality(got, first, scheduling.NodeLocal),
			setup.ClassLocality(got, first, scheduling.RackLocal))
	}
	return t, nil
}

// fig2Notes say what a reader should know.
func fig2Notes() []string {
	return []string{
		"Locality is counted over the maps of all jobs of a bin; the paper does not say whether " +
			"it counts maps or jobs, nor its other bins.",
		"The medians of maps and reduces are set for a job's mean task and shown as a check of " +
			"the generator: a few large jobs weigh most. Jobs' times, the jobs below 271 maps " +
			"and how often slots are full follow. How many reduces there are is ours.",
		"The number of racks decides the rack locality: with 3 replicas in 2 racks a random " +
			"node's rack holds a block with chance 2/racks. §3.6 allows 8 to 31 racks here; the " +
			"table shows them.",
	}
}

// warehousePolicy is HFS as of March 2009, or with waits.
func warehousePolicy(w1, w2 time.Duration) scheduling.Policy {
	p := scheduling.Policy{
		Name: "hfs", Order: "pools", Spread: true, OneTask: true, SlowStart: -1,
		Pools: scheduling.Allocations{PoolPerUser: true},
	}
	setup.Waits(w1, w2)(&p)
	return p
}

// warehouseRun simulates several seeds, with samples each 10 s.
func warehouseRun(
	ctx context.Context, o study.Options, jobs, repeat int, cfg simulator.Config,
	p scheduling.Policy,
) (*simulator.Contest, error) {
	cfg.Seed, cfg.Sample = o.Seed, 10*time.Second
	return setup.Contest(ctx, cfg, p, repeat,
		func(r *rand.Rand) workload.Workload { return warehouseJobs(r, jobs) })
}

// leastRise is the rise of locality from a bin to the next where its mean is least.
func leastRise(c *simulator.Contest, level scheduling.Locality) (least study.Sample) {
	names := warehouseBins()
	for i, b := range names[1:] {
		rise := setup.Local(c, b, level).Minus(setup.Local(c, names[i], level))
		if i == 0 || rise.Mean() < least.Mean() {
			least = rise
		}
	}
	return least
}

// warehouseChoice is a change of the set-up.
type warehouseChoice struct {
	name   string
	change func(*simulator.Config, *scheduling.Policy)
}

func warehouseChoices(o study.Options) []warehouseChoice {
	list := []warehouseChoice{{"as above", func(*simulator.Config, *scheduling.Policy) {}}}
	if o.Quick {
		return list
	}
	for _, racks := range []int{8, 12, 20, 31} {
		list = append(list, warehouseChoice{
			fmt.Sprintf("%d racks", racks),
			func(c *simulator.Config, _ *scheduling.Policy) { c.Cluster.Racks = racks },
		})
	}
	return append(list, warehouseChoice{
		"several tasks a heartbeat",
		func(_ *simulator.Config, p *scheduling.Policy) { p.OneTask = false },
	},
		warehouseChoice{
			"no load manager", func(_ *simulator.Config, p *scheduling.Policy) { p.Spread = false },
		},
		warehouseChoice{
			"half the map slots",
			func(c *simulator.Config, _ *scheduling.Policy) { c.Cluster.MapSlots = 3 },
		},
	)
}

// warehouseTimes are the rows of Fig 1 and §3.2.
func warehouseTimes(c *simulator.Contest) []study.Row {
	var of [7][]float64
	for _, res := range c.Results {
		for i, v := range oneWarehouse(res) {
			of[i] = append(of[i], v)
		}
	}
	by := func(i int) study.Sample { return study.BySeed(of[i]) }
	return []study.Row{
		study.Known("Fig 1: median map", "s", 19, by(0)).Saying("set"),
		study.Known("Fig 1: median reduce", "s", 231, by(1)).Saying("set"),
		study.PrintedRow("Fig 1: median job", "s", 84, study.Size, by(2)),
		study.Known("§3.2: jobs with fewer than 271 maps and 30 reduces", "%", 83,
			by(3)).Saying("drawn, whatever the scheduler does"),
		study.Known("§3.2: time with more than 95 % of map slots full", "%", 21,
			by(4)).Saying(unmoved),
		study.Known("§3.2: time with more than 95 % of reduce slots full", "%", 4,
			by(5)).Saying(unmoved),
		study.Known("§3.3.1: jobs of 1 to 25 maps", "%", 58, by(6)).Saying("set"),
	}
}

// oneWarehouse gives the medians of maps, reduces and jobs in seconds, then in per cent: jobs with
// fewer than 271 maps and 30 reduces, time with map slots and with reduce slots full, and jobs of
// the first bin.
func oneWarehouse(res *simulator.Result) (of [7]float64) {
	var times [2][]float64 // a job's mean task, once for each of its tasks
	var sojourns []float64
	for i := range res.Jobs {
		j := &res.Jobs[i]
		if j.Done {
			sojourns = append(sojourns, j.Sojourn().Seconds())
		}
		for k, n := range j.Tasks {
			for range n {
				times[k] = append(times[k], j.Busy[k].Seconds()/float64(n))
			}
		}
		part := 100 / float64(len(res.Jobs))
		if j.Tasks[0] < 271 && j.Tasks[1] < 30 {
			of[3] += part
		}
		if j.Class == warehouseBins()[0] {
			of[6] += part
		}
	}
	for _, s := range res.Samples {
		var held [2]int
		for _, j := range s.Jobs {
			held[0] += j.Slots[0]
			held[1] += j.Slots[1]
		}
		for k, n := range held {
			if n > 95*warehouseNodes*5/100 {
				of[4+k] += 100 / float64(len(res.Samples))
			}
		}
	}
	for i, x := range [][]float64{times[0], times[1], sojourns} {
		slices.Sort(x)
		of[i] = setup.Median(x)
	}
	return of
}
