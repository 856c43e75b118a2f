package zaharia10

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// case4 is a line of Table 4: the number of jobs, and the number of maps of each job.
type case4 struct{ maps, jobs int }

var cases4 = [...]case4{{3, 600}, {10, 1100}, {100, 150}}

// choice4 contains the parameters of Table 4 that the paper does not give.
type choice4 struct {
	preset  string
	active  float64             // jobs at a time, of those that fill the slots
	rate    float64             // jobs a second instead, if positive
	share   func(maps int) bool // whether all jobs of that size read one file
	many    bool                // several tasks a heartbeat
	packed  bool                // no load manager
	network simulator.Network
}

// plain4 returns the settings of the table. Jobs of 3 maps read one file, as GridMix's small jobs
// read the first three parts of its data set.
func plain4(preset string) choice4 {
	return choice4{
		preset: preset, active: 1, network: setup.Contended(setup.RemoteLink),
		share: func(maps int) bool { return maps == 3 },
	}
}

// run simulates the jobs without delay scheduling and with it, in this order.
func (c case4) run(s *study.Study, choice choice4, seeds int) study.Comparison {
	policy := func(name string, w time.Duration) simulator.Contender {
		return study.Policy(name, choice.preset, setup.Waits(w, w), func(p *scheduling.Policy) {
			p.Spread, p.OneTask = !choice.packed, !choice.many
		})
	}
	cfg := setup.ScanCluster()
	cfg.JobSetup, cfg.Network = 5*time.Second, choice.network
	cfg.Cluster.Racks, cfg.Cluster.MapSlots, cfg.Cluster.ReduceSlots = 4, 6, 4
	if choice.rate == 0 {
		cfg.Submission = simulator.Submission{
			Rule: simulator.Closed, Active: int(math.Round(choice.active * 600 / float64(c.maps))),
		}
	}
	w := workload.Scans(study.Pick(s, c.jobs/4, c.jobs), c.maps, 0)
	if choice.share(c.maps) {
		w.Files = []workload.File{{Name: "dataset", Blocks: c.maps}}
	}
	for i := range w.Jobs {
		w.Jobs[i].File = len(w.Files)
		w.Jobs[i].Map.Time, w.Jobs[i].Map.Spread = setup.ScanCompute, setup.ScanSpread
		if choice.rate > 0 {
			w.Jobs[i].Submit = time.Duration(float64(i) / choice.rate * float64(time.Second))
		}
	}
	list := study.Contenders{policy("without delay", 0), policy("with delay", 15*time.Second)}
	return s.Compare(cfg, list, seeds, study.Always(w))
}

// gain4 returns, by seed, the throughput with delay scheduling divided by that without.
func gain4(all study.Comparison) study.Sample { return all.Over(0, 1, study.Makespan) }

// table4 reproduces [Zaharia10 Table 4 and Fig 12, §5.2.2]: small jobs on the private cluster.
func table4(s *study.Study) {
	fig := s.Plot("fig12")
	var gains, fifo []study.Sample
	var published []float64 // locality without delay, and gain
	for _, c := range cases4 {
		fair := c.run(s, plain4("hfs"), s.Repeats(1, 40))
		for i, r := range fair {
			name := fmt.Sprintf("%d-map jobs, %s: ", c.maps, r.Name)
			node := s.Row(name+"node-local", r.By(study.NodeLocal))
			rack := s.Row(name+"rack-local or nearer", r.By(study.RackLocal))
			if i == 0 {
				published = append(published, node.Published, rack.Published)
			}
		}
		gain := gain4(fair)
		gains = append(gains, gain)
		row := s.Row(fmt.Sprintf("%d-map jobs: throughput with delay over without", c.maps), gain)
		published = append(published, row.Published)
		size := fmt.Sprint(c.maps)
		fig.Bar("without", size, 1)
		fig.BarSample("with delay", size, fair.Over(1, 0, study.Makespan))
		fig.Bar("with delay, published", size, 1/row.Published).Published = true
		s.Row(fmt.Sprintf("%d-map jobs without delay: running time", c.maps),
			fair[0].By(study.Makespan).Times(1./60))
		if c.maps > 3 {
			s.Row(fmt.Sprintf("%d-map jobs: node-local maps that delay adds, less those in a rack", c.maps),
				fair.Less(1, 0, study.NodeLocal).Minus(fair.Less(1, 0, study.RackLocal)))
		}
		// Results under FIFO and fair sharing are alike.
		queued := c.run(s, plain4("fifo"), s.Repeats(1, 40))
		for i, r := range queued {
			s.Row(fmt.Sprintf("%d-map jobs, %s: node-local, FIFO less fair sharing", c.maps, r.Name),
				r.By(study.NodeLocal).Minus(fair[i].By(study.NodeLocal)))
		}
		fifo = append(fifo, gain4(queued))
		s.Row(fmt.Sprintf("%d-map jobs: gain under FIFO over that under fair sharing", c.maps),
			gain4(queued).Over(gain))
	}
	s.Row("greatest gain of delay under FIFO", slices.MaxFunc(fifo, study.ByMean))
	s.Row("10-map jobs gain more than 100-map jobs (margin)", gains[1].Minus(gains[2]))
	s.Row("10-map jobs gain more than 3-map jobs (margin)", gains[1].Minus(gains[0]))
	table4Sensitivity(s, published)
	rates := study.Sweep("%v", study.Pick(s, []float64{0.7}, []float64{0.5, 0.6, 0.7, 0.8, 1, 2}),
		func(c *choice4, rate float64) { c.rate = rate })
	study.Vary(s, s.Extra("initialization"), 1, plain4("hfs"), rates, func(c choice4) []float64 {
		return []float64{gain4(cases4[0].run(s, c, 1)).Mean()}
	})
}

// table4Sensitivity adds a table of results with one of the settings changed at a time.
func table4Sensitivity(s *study.Study, published []float64) {
	t := s.Extra("sensitivity").Add("published", published...)
	list := []study.Choice[choice4]{
		{Name: "as above"},
		study.With("each job a file of its own", func(c *choice4) { c.share = func(int) bool { return false } }),
		study.With("all jobs of a size read one file", func(c *choice4) { c.share = func(int) bool { return true } }),
		study.With("half as many active", func(c *choice4) { c.active = 0.5 }),
		study.With("twice as many active", func(c *choice4) { c.active = 2 }),
		study.With("FIFO", func(c *choice4) { c.preset = "fifo" }),
		study.With("FIFO, four times as many active", func(c *choice4) { c.preset, c.active = "fifo", 4 }),
		study.With("no load manager", func(c *choice4) { c.packed = true }),
		study.With("several tasks a heartbeat", func(c *choice4) { c.many = true }),
		study.With("links of 30 MB/s", func(c *choice4) { c.network = setup.Contended(30e6) }),
		study.With("remote reads 1.5 (rack) and 2 times as long, no contention",
			func(c *choice4) { c.network = setup.Factors(1.5, 2) }),
		study.With("the same, several tasks a heartbeat, no load manager",
			func(c *choice4) { c.network, c.many, c.packed = setup.Factors(1.5, 2), true, true }),
	}
	study.Vary(s, t, 1, plain4("hfs"), list, func(choice choice4) (values []float64) {
		for _, c := range cases4 {
			c.jobs /= 2
			all := c.run(s, choice, 1)
			values = append(values, all[0].By(study.NodeLocal).Mean(),
				all[0].By(study.RackLocal).Mean(), gain4(all).Mean())
		}
		return values
	})
}
