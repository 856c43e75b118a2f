package zaharia10

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// case4 is a line of Table 4 with its published numbers: node and rack locality without and with
// delay, and Fig 12's throughput.
type case4 struct {
	maps, jobs  int
	without, on [2]float64
	gain        float64
}

func cases4() []case4 {
	return []case4{
		{3, 1200, [2]float64{2, 50}, [2]float64{75, 96}, 1.2},
		{10, 1000, [2]float64{37, 98}, [2]float64{99, 100}, 1.7},
		{100, 300, [2]float64{84, 99}, [2]float64{94, 99}, 1.3},
	}
}

// Table4 is [Zaharia10 Table 4 and Fig 12, §5.2.2]: small jobs on the private cluster.
func Table4(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: table4Setup()}
	fig := study.Figure{
		Name: "fig12", Title: "Running time of the workload, normalized", X: "maps a job",
		Y: "time", Categories: []string{"3", "10", "100"},
		Series: []*study.Series{{Name: "without"}, {Name: "with delay"}, {Name: "with delay, published", Published: true}},
	}
	var gains []study.Sample
	for _, c := range cases4() {
		all, err := table4Contest(ctx, o, c, plain4(), o.Repeats(1, 10))
		if err != nil {
			return nil, err
		}
		for i, want := range [][2]float64{c.without, c.on} {
			for k, f := range []func(*simulator.Result) float64{setup.NodeLocal, setup.RackLocal} {
				r.Add(study.PrintedRow(fmt.Sprintf("%d-map jobs, %s: %s", c.maps, all[i].Name,
					[]string{"node-local", "rack-local or nearer"}[k]), "%", want[k],
					study.Share, setup.Each(&all[i], f)))
			}
		}
		gain := gain4(all)
		gains = append(gains, gain)
		r.Add(study.PrintedRow(fmt.Sprintf("%d-map jobs: throughput with delay over without",
			c.maps), "×", c.gain, study.Gain, gain))
		fig.Series[0].Y = append(fig.Series[0].Y, 1)
		fig.Series[1].AddBar(study.Pair(gain, gain, func(g, _ float64) float64 { return 1 / g }))
		fig.Series[2].Y = append(fig.Series[2].Y, 1/c.gain)
		fifo := plain4()
		fifo.fifo = true
		fair := all
		if all, err = table4Contest(ctx, o, c, fifo, o.Repeats(1, 10)); err != nil {
			return nil, err
		}
		for i := range all {
			row := study.SaidRow(fmt.Sprintf("%d-map jobs, %s: node-local, FIFO less fair sharing",
				c.maps, all[i].Name), "points", "results were similar", study.Between(-5, 5),
				setup.Each(&all[i], setup.NodeLocal).Minus(setup.Each(&fair[i], setup.NodeLocal)))
			if i == 0 && c.maps < 100 { // hardly any local map under either
				row = study.Shown(row.Quantity, row.Unit, row.Ours)
			}
			r.Add(row)
		}
		r.Add(study.SaidRow(fmt.Sprintf("%d-map jobs: gain under FIFO over that under fair "+
			"sharing", c.maps), "×", "FIFO performed the same", study.Alike(),
			gain4(all).Over(gain)))
	}
	r.Add(study.SaidRow("10-map jobs gain more than 100-map jobs (margin)", "×",
		"100-map jobs have fairly good locality without", study.More(0),
		gains[1].Minus(gains[2])),
		study.SaidRow("10-map jobs gain more than 3-map jobs (margin)", "×",
			"initialization is the bottleneck of small jobs", study.More(0),
			gains[1].Minus(gains[0])))
	r.Figures = []study.Figure{fig}
	r.Notes = table4Notes()
	return r, r.AddTables(ctx, o, table4Sensitivity, table4Rates)
}

// gain4 is the throughput with delay over that without, by seed.
func gain4(all []simulator.Contest) study.Sample {
	return setup.Each(&all[0], setup.Makespan).Over(setup.Each(&all[1], setup.Makespan))
}

// table4Notes say what a reader should know.
func table4Notes() []string {
	return []string{
		"Random nodes would give 5.9, 15.4 and 75.5 % for jobs of 3, 10 and 100 maps; the " +
			"paper's 37 % for 10 maps is far above that, its 2 % for 3 maps below. No line of " +
			"the table comes near 37 %, so something in the paper's set-up that we do not know " +
			"helped. We do not fit it.",
		"3 maps without delay at 2 and 50 % are what a job gets whose maps all start on one " +
			"node: 3 % and, with blocks in two of four racks, 50 %. 10 maps at 98 % rack-local " +
			"are not: the two lines cannot come from one way to hand out tasks.",
		"The paper explains the small gain of 3-map jobs by Hadoop's initialization of jobs. The " +
			"second table bounds the rate at which jobs come: at 3 to 4 a second the gain is the " +
			"published one.",
		"100 maps at 71 % are a little below random nodes: with six jobs at a time, freed slots " +
			"tend to go back to the job that held them.",
		"One task a heartbeat is what delay-fig15, of the same Hadoop, assumes. The table has " +
			"other choices, among them the two that were given up: jobs active at a time, and " +
			"constant " +
			"factors for remote reads without load manager.",
	}
}

// table4Setup names the choices.
func table4Setup() []string {
	return []string{
		"Cluster: 100 nodes in 4 racks, 6 map and 4 reduce slots each, 128 MB blocks, 3 replicas " +
			"[Zaharia10 Table 1].",
		setup.EC2Setup()[1],
		"Maps: 1 s set-up, 5 s reading beside the data, 6 s computing with a lognormal factor of " +
			"sigma 0.4, as in delay-fig15.",
		setup.ContendedSetup + " That it is the same on the private cluster is a guess.",
		"Enough jobs of 3, 10 or 100 maps, as many active at a time as fill the 600 map slots " +
			"(200, 60 and 6; closed loop), each its own user and file; each takes 5 s to set up. " +
			"The paper gives neither arrivals nor concurrency nor which files the jobs share.",
		"Policy hfs, one task a heartbeat and the load manager on, as in delay-fig15; without: " +
			"greedy locality; with: W1 = W2 = 15 s.",
	}
}

// choice4 is what the paper leaves open of Table 4.
type choice4 struct {
	name    string
	active  float64 // jobs at a time, of those that fill the slots
	rate    float64 // jobs a second instead, if positive
	many    bool    // several tasks a heartbeat
	packed  bool    // no load manager
	fifo    bool
	network simulator.Network
}

func plain4() choice4 {
	return choice4{name: "as above", active: 1, network: setup.Contended(setup.RemoteLink)}
}

// choices4 are the set-ups of the sensitivity table.
func choices4(o study.Options) []choice4 {
	list := []choice4{plain4()}
	if o.Quick {
		return list
	}
	add := func(name string, change func(*choice4)) {
		c := plain4()
		change(&c)
		c.name = name
		list = append(list, c)
	}
	factors := simulator.Network{ReadFactor: [3]float64{1, 1.5, 2}}
	add("half as many active", func(c *choice4) { c.active = 0.5 })
	add("twice as many active", func(c *choice4) { c.active = 2 })
	add("FIFO", func(c *choice4) { c.fifo = true })
	add("FIFO, four times as many active", func(c *choice4) { c.fifo, c.active = true, 4 })
	add("no load manager", func(c *choice4) { c.packed = true })
	add("several tasks a heartbeat", func(c *choice4) { c.many = true })
	add("links of 30 MB/s", func(c *choice4) { c.network = setup.Contended(30e6) })
	add("remote reads 1.5 (rack) and 2 times as long, no contention",
		func(c *choice4) { c.network = factors })
	add("the same, several tasks a heartbeat, no load manager",
		func(c *choice4) { c.network, c.many, c.packed = factors, true, true })
	return list
}

func table4Sensitivity(ctx context.Context, o study.Options) (study.Table, error) {
	t := study.Table{
		Name: "sensitivity",
		Title: "Node- and rack-locality without delay (%) and throughput with delay over " +
			"without, one choice changed", Columns: []string{
			"choice",
		},
	}
	published := []float64{}
	for _, c := range cases4() {
		t.Columns = append(t.Columns, fmt.Sprintf("%d maps: node", c.maps), "rack", "gain")
		published = append(published, c.without[0], c.without[1], c.gain)
	}
	t.Add("published", published...)
	for _, choice := range choices4(o) {
		var values []float64
		for _, c := range cases4() {
			c.jobs /= 2
			all, err := table4Contest(ctx, o, c, choice, 1)
			if err != nil {
				return t, err
			}
			values = append(values, all[0].Over(setup.NodeLocal).Mean,
				all[0].Over(setup.RackLocal).Mean,
				all[0].Over(setup.Makespan).Mean/all[1].Over(setup.Makespan).Mean)
		}
		t.Add(choice.name, values...)
	}
	return t, nil
}

// table4Rates bounds the rate at which 3-map jobs start.
func table4Rates(ctx context.Context, o study.Options) (study.Table, error) {
	t := study.Table{
		Name: "initialization",
		Title: "3-map jobs that come at a steady rate, as from a JobTracker that initializes so " +
			"many a second", Columns: []string{
			"jobs a second", "throughput with delay over without",
		},
	}
	for _, rate := range []float64{2, 4, 6, 8, 12} {
		if o.Quick && rate != 4 {
			continue
		}
		choice := plain4()
		choice.rate = rate
		all, err := table4Contest(ctx, o, cases4()[0], choice, 1)
		if err != nil {
			return t, err
		}
		t.Add(study.Number(rate),
			all[0].Over(setup.Makespan).Mean/all[1].Over(setup.Makespan).Mean)
	}
	return t, nil
}

// table4Contest runs jobs without and with delay.
func table4Contest(
	ctx context.Context, o study.Options, c case4, choice choice4, repeat int,
) ([]simulator.Contest, error) {
	if o.Quick {
		c.jobs /= 4
	}
	var list []simulator.Contender
	for i, w := range []time.Duration{0, 15 * time.Second} {
		p := setup.Preset(map[bool]string{false: "hfs", true: "fifo"}[choice.fifo],
			func(p *scheduling.Policy) {
				setup.Waits(w, w)(p)
				p.Spread, p.OneTask = !choice.packed, !choice.many
			})
		list = append(list,
			simulator.Contender{Name: []string{"without delay", "with delay"}[i], Policy: p})
	}
	cfg := setup.EC2()
	cfg.Seed, cfg.JobSetup, cfg.Network = o.Seed, 5*time.Second, choice.network
	cfg.Cluster.Racks, cfg.Cluster.MapSlots, cfg.Cluster.ReduceSlots = 4, 6, 4
	cfg.Cluster.ReadRate = workload.DefaultBlock / 5.0
	if choice.rate == 0 {
		cfg.Submission = simulator.Submission{
			Rule: simulator.Closed, Active: int(math.Round(choice.active * 600 / float64(c.maps))),
		}
	}
	return setup.Contests(ctx, cfg, list, repeat, func(*rand.Rand) workload.Workload {
		w := workload.Scans(c.jobs, c.maps, 0)
		for i := range w.Jobs {
			w.Jobs[i].Map.Time, w.Jobs[i].Map.Spread = 6*time.Second, 0.4
			if choice.rate > 0 {
				w.Jobs[i].Submit = time.Duration(float64(i) / choice.rate * float64(time.Second))
			}
		}
		return w
	})
}
