package zaharia10

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// case15 contains the settings of one point of Fig 15.
type case15 struct {
	w1             time.Duration
	read, compute  time.Duration
	sigma          float64
	packed, greedy bool // packed: no load manager; greedy: several tasks a heartbeat
	network        simulator.Network
	interval       time.Duration // of heartbeats
}

// plain15 returns the settings of the figure for a wait of w1 seconds.
func plain15(w1 int) case15 {
	return case15{
		w1: time.Duration(w1) * time.Second, read: setup.ScanRead, compute: setup.ScanCompute,
		sigma: setup.ScanSpread, network: setup.Contended(setup.RemoteLink), interval: 3 * time.Second,
	}
}

// locality returns the percentage of node-local maps, by seed, if each job has this number of maps.
func (c case15) locality(s *study.Study, maps int) study.Sample {
	cfg := setup.EC2()
	cfg.Network, cfg.Interval = c.network, c.interval
	cfg.Cluster.ReadRate = workload.DefaultBlock / c.read.Seconds()
	cfg.Submission = simulator.Submission{Rule: simulator.Closed, Active: 50}
	p := study.Policy("hfs", "hfs", setup.Waits(c.w1, 0), func(p *scheduling.Policy) {
		p.Spread, p.OneTask = !c.packed, !c.greedy
	})
	load := study.Changed(study.Always(workload.Scans(200, maps, 0)), func(j *workload.Job) {
		j.Map.Time, j.Map.Spread = c.compute, c.sigma
	})
	return s.Simulate(cfg, p, s.Repeats(1, 40), load).By(study.NodeLocal)
}

// fig15 reproduces [Zaharia10 Fig 15, §5.3]: node locality of small jobs by the wait W1.
func fig15(s *study.Study) {
	fig := s.Plot("fig15")
	for _, maps := range []int{4, 12} {
		for w1 := 0; w1 <= 10; w1++ {
			judged := slices.Contains([]int{0, 1, 5, 10}, w1)
			if s.Quick && !judged {
				continue
			}
			got := plain15(w1).locality(s, maps)
			fig.AddSample(fmt.Sprintf("%d maps, ours", maps), float64(w1), got)
			if !judged {
				continue
			}
			row := s.Row(fmt.Sprintf("%d-map jobs, W1 = %d s", maps, w1), got)
			if row.Kind == study.Printed {
				fig.Add(fmt.Sprintf("%d maps, published", maps), float64(w1), row.Published).Published = true
			}
		}
	}
	const second = time.Second
	long := func(c *case15) { c.read, c.compute = 10*second, 10*second }
	list := []study.Choice[case15]{
		{Name: "W1 = 1 s, as above"},
		study.With("W1 = 1 s, tasks of 21 s", long),
		study.With("W1 = 5 s, tasks of 21 s", func(c *case15) {
			long(c)
			c.w1 = 5 * second
		}),
		study.With("W1 = 10 s, tasks of 21 s, all of one length",
			func(c *case15) { c.w1, c.read, c.compute = 10*second, 20*second, 0 }),
		study.With("W1 = 1 s, no load manager", func(c *case15) { c.packed = true }),
		study.With("W1 = 1 s, several tasks a heartbeat", func(c *case15) { c.greedy = true }),
		study.With("W1 = 1 s, heartbeats every second", func(c *case15) { c.interval = second }),
		study.With("W1 = 1 s, heartbeats every 5 s", func(c *case15) { c.interval = 5 * second }),
	}
	list = append(list, study.Sweep("W1 = 1 s, remote reads %g times as long, no contention",
		[]float64{1.5, 2}, func(c *case15, f float64) { c.network = setup.Factors(f, f) })...)
	study.Vary(s, s.Extra("sensitivity"), 2, plain15(1), list, func(c case15) []float64 {
		return []float64{c.locality(s, 4).Mean(), c.locality(s, 12).Mean()}
	})
}
