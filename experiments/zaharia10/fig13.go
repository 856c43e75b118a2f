package zaharia10

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The indexes of naive fair sharing and delay scheduling in the result of scans.
const scanNaive, scanDelay = 0, 1

// scanGap is the time between the submissions of two scans.
const scanGap = 3 * time.Second

// scans runs jobs that all scan the same data. It submits one every gap.
func scans(
	s *study.Study, jobs, seeds int, network simulator.Network, gap time.Duration,
) study.Comparison {
	cfg, w := scanSetup(jobs, network, gap)
	return s.Compare(cfg, study.Contenders{
		study.Policy("naive", "fair"),
		study.Policy("delay", "hfs", setup.Waits(10*time.Second, 0)),
	}, seeds, study.Always(w))
}

// scanSetup returns the cluster and the workload with which scans simulates.
func scanSetup(jobs int, network simulator.Network, gap time.Duration) (simulator.Config, workload.Workload) {
	cfg := setup.ScanCluster()
	cfg.Network = network
	w := workload.SharedScans(jobs)
	for i := range w.Jobs {
		w.Jobs[i].Submit = time.Duration(i) * gap
		w.Jobs[i].Map.Time, w.Jobs[i].Map.Spread = setup.ScanCompute, setup.ScanSpread
	}
	return cfg, w
}

// fig13 reproduces [Zaharia10 Figs 13 and 14, §5.2.3]: sticky slots. The more jobs scan the same
// data at once, the more locality naive fair sharing loses; delay scheduling keeps it.
func fig13(s *study.Study) {
	local, finish := s.Plot("fig13"), s.Plot("fig14")
	counts := study.Pick(s, []int{5, 20}, []int{5, 10, 20, 50})
	var naives []study.Sample // node-local maps
	var perJob [2][]study.Sample
	for i, jobs := range counts {
		c := scans(s, jobs, s.Repeats(1, 10), setup.Contended(setup.RemoteLink), scanGap)
		naive, delay := c[scanNaive].By(study.NodeLocal), c[scanDelay].By(study.NodeLocal)
		x, bound := float64(jobs), 100*delaymath.StickyBound(1/float64(jobs), 3, 4)
		row := s.Row(fmt.Sprintf("naive fair, %d jobs: node-local", jobs), naive)
		local.AddSample("naive fair", x, naive)
		if row.Kind == study.Printed {
			local.Add("naive fair, published", x, row.Published).Published = true
		} else {
			row.Published = bound
		}
		local.AddSample("delay, W1 = 10 s", x, delay)
		local.Add("bound 1 − (1 − 1/J)^(RL)", x, bound).Dashed = true
		for k, name := range []string{"naive fair", "delay, W1 = 10 s"} {
			took := c[k].By(study.Makespan)
			finish.AddSample(name, x, took)
			perJob[k] = append(perJob[k], took.Times(1/x))
		}
		naives = append(naives, naive)
		s.Row(fmt.Sprintf("delay, %d jobs: node-local", jobs), delay)
		if jobs > 5 {
			s.Row(fmt.Sprintf("throughput of delay over naive, %d jobs", jobs),
				c.Over(scanNaive, scanDelay, study.Makespan))
		}
		if i > 0 {
			fewer := counts[i-1]
			s.Row(fmt.Sprintf("naive fair: node-local, %d jobs less %d", jobs, fewer), naive.Minus(naives[i-1]))
			s.Row(fmt.Sprintf("delay: finish time a job, %d jobs over %d", jobs, counts[0]),
				perJob[scanDelay][i].Over(perJob[scanDelay][0]))
			s.Row(fmt.Sprintf("naive fair: finish time a job, %d jobs over %d", jobs, fewer),
				perJob[scanNaive][i].Over(perJob[scanNaive][i-1]))
		}
	}
	remoteSlowdown(s)
	scanTable(s)
}

// remoteSlowdown adds a row for the time of a non-local map over that of a local one, under naive
// fair sharing with the maximum number of scans.
func remoteSlowdown(s *study.Study) {
	jobs := study.Pick(s, 20, 50)
	cfg, w := scanSetup(jobs, setup.Contended(setup.RemoteLink), scanGap)
	cfg.Policy = study.Policy("naive", "fair").Policy
	over := s.Seeds(s.Repeats(1, 20), func(seed uint64) []float64 {
		var sum, n [2]float64 // of local maps and of others
		begun := map[scheduling.AttemptID]event.Event{}
		cfg.Seed, cfg.Core.Events = seed, func(e event.Event) {
			if e.Type == event.Launched {
				begun[e.Attempt] = e
			}
			if e.Type == event.Succeeded {
				k := min(begun[e.Attempt].Locality, 1)
				sum[k] += (e.At - begun[e.Attempt].At).Seconds()
				n[k]++
			}
		}
		s.Run(cfg, &w)
		return []float64{sum[1] / n[1] / (sum[0] / n[0])}
	})
	s.Row(fmt.Sprintf("naive fair, %d jobs: time of a non-local map over that of a local one", jobs),
		over[0])
}

// scanTable adds tables of the gains with other networks and of the locality with other gaps.
func scanTable(s *study.Study) {
	list := append(study.Sweep("links of %g MB/s", []float64{25, 15, 18, 27, 125},
		func(n *simulator.Network, mb float64) { *n = setup.Contended(mb * 1e6) }),
		study.Sweep("remote reads %g times as long, no contention", []float64{1.5, 2, 2.5},
			func(n *simulator.Network, f float64) { *n = setup.Factors(f, f) })...)
	study.Vary(s, s.Extra("sensitivity").Add("published", 1.1, 1.6, 2), 0, simulator.Network{}, list, func(n simulator.Network) (gains []float64) {
		for _, jobs := range []int{10, 20, 50} {
			c := scans(s, jobs, 1, n, scanGap)
			gains = append(gains, c.Over(scanNaive, scanDelay, study.Makespan).Mean())
		}
		return gains
	})
	link := setup.Contended(setup.RemoteLink)
	study.Vary(s, s.Extra("gaps").Add("published", 92), 1, scanGap, study.Sweep("%g s", []float64{0, 1, 3, 5, 10},
		func(d *time.Duration, x float64) { *d = time.Duration(x * float64(time.Second)) }),
		func(gap time.Duration) []float64 {
			return []float64{scans(s, 5, s.Repeats(1, 5), link, gap)[scanNaive].By(study.NodeLocal).Mean()}
		})
}
