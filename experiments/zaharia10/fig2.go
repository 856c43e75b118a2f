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

// warehouseRun contains the settings of runs on a cluster like Facebook's of March 2009, under HFS.
type warehouseRun struct {
	jobs   int
	cfg    simulator.Config
	policy simulator.Contender
}

func newWarehouseRun(jobs int, w1, w2 time.Duration) warehouseRun {
	p := scheduling.Policy{
		Name: "hfs", Order: "pools", Spread: true, OneTask: true, SlowStart: -1,
		Pools: scheduling.Allocations{PoolPerUser: true},
	}
	setup.Waits(w1, w2)(&p)
	cfg := warehouse()
	cfg.Sample = 10 * time.Second
	return warehouseRun{jobs, cfg, simulator.Contender{Name: p.Name, Policy: p}}
}

func (w warehouseRun) simulate(s *study.Study, seeds int) *study.Runs {
	return s.Simulate(w.cfg, w.policy, seeds,
		func(r *rand.Rand) workload.Workload { return warehouseJobs(r, w.jobs) })
}

// fig2 reproduces [Zaharia10 Figs 1 and 2, §3.2, §3.3.1]: the times of tasks and jobs, and the
// locality of jobs by size, on a cluster like Facebook's under HFS without delay scheduling.
func fig2(s *study.Study) {
	jobs, seeds := study.Pick(s, 100, 1500), s.Repeats(1, 40)
	cluster := warehouse()
	s.Fill("jobs", jobs, "nodes", cluster.Cluster.Nodes, "racks", cluster.Cluster.Racks,
		"interval", cluster.Interval)
	naive := newWarehouseRun(jobs, 0, 0).simulate(s, seeds)
	delay := newWarehouseRun(jobs, 10*time.Second, 10*time.Second).simulate(s, seeds)
	bySize(s, naive, "fig2")
	bySize(s, delay, "fig2-delay")
	timeRows(s, naive)
	names := warehouseBins()
	first, last := names[0], names[len(names)-1]
	s.Row("Fig 2: jobs of 1 to 25 maps: node-local", naive.Local(first, scheduling.NodeLocal))
	s.Row("Fig 2: jobs of 1 to 25 maps: rack-local or nearer",
		naive.Local(first, scheduling.RackLocal))
	s.Row("Fig 2: node-local, least rise from bin to bin", minRise(naive, scheduling.NodeLocal))
	s.Row("Fig 2: rack-local or nearer, last bin less first",
		naive.Local(last, scheduling.RackLocal).Minus(naive.Local(first, scheduling.RackLocal)))
	s.Row("jobs of 1 to 25 maps, W1 = W2 = 10 s: node-local",
		delay.Local(first, scheduling.NodeLocal))
	sizePercentiles(s, naive)
	warehouseTable(s, jobs/3)
}

// sizePercentiles adds rows that compare the drawn numbers of maps per job with those of §5.1.
func sizePercentiles(s *study.Study, r *study.Runs) {
	var maps []float64
	for _, one := range r.Results {
		for i := range one.Jobs {
			maps = append(maps, float64(one.Jobs[i].Tasks[0]))
		}
	}
	slices.Sort(maps)
	for _, percent := range []float64{98, 99, 99.5, 100} {
		at := min(int(float64(len(maps))*percent/100), len(maps)-1)
		s.Row(fmt.Sprintf("§5.1: %g %% of the jobs have at most", percent), study.Sure(maps[at]))
	}
}

// bySize draws a figure of the locality of the jobs of each bin of sizes.
func bySize(s *study.Study, r *study.Runs, name string) {
	fig := s.Plot(name).Bars(warehouseBins()...).
		Lines("node-local", "rack-local or nearer")
	for _, b := range warehouseBins() {
		for level, series := range fig.Series {
			series.Y = append(series.Y, r.ClassLocality(b, scheduling.Locality(level)))
		}
	}
}

// minRise returns the smallest rise of locality from a bin of job sizes to the next, by the mean of
// the rises.
func minRise(r *study.Runs, level scheduling.Locality) study.Sample {
	var rises []study.Sample
	names := warehouseBins()
	for i, b := range names[1:] {
		rises = append(rises, r.Local(b, level).Minus(r.Local(names[i], level)))
	}
	return slices.MinFunc(rises, study.ByMean)
}

// warehouseTable adds a table of the locality of the smallest jobs under other settings.
func warehouseTable(s *study.Study, jobs int) {
	list := append([]study.Choice[warehouseRun]{{Name: "as above"}},
		study.Sweep("%d racks", []int{8, 12, 20, 31},
			func(w *warehouseRun, racks int) { w.cfg.Cluster.Racks = racks })...)
	list = append(list,
		study.With("several tasks a heartbeat", func(w *warehouseRun) { w.policy.Policy.OneTask = false }),
		study.With("no load manager", func(w *warehouseRun) { w.policy.Policy.Spread = false }),
		study.With("half the map slots", func(w *warehouseRun) { w.cfg.Cluster.MapSlots = 3 }),
	)
	study.Vary(s, s.Extra("sensitivity"), 1, newWarehouseRun(jobs, 0, 0), list, func(w warehouseRun) []float64 {
		r, first := w.simulate(s, 1), warehouseBins()[0]
		return []float64{
			r.ClassLocality(first, scheduling.NodeLocal), r.ClassLocality(first, scheduling.RackLocal),
		}
	})
}

// timeRows adds the rows of Fig 1 and §3.2, and draws Fig 1 from the first run.
func timeRows(s *study.Study, r *study.Runs) {
	fig := s.Plot("fig1")
	for i, x := range warehouseTimes(r.Results[0]) {
		fig.Distribution([...]string{"maps", "reduces", "jobs"}[i], x)
	}
	of := r.Each(oneWarehouse)
	s.Row("Fig 1: median map", of[0])
	s.Row("Fig 1: median reduce", of[1])
	s.Row("Fig 1: median job", of[2])
	s.Row("§3.2: jobs with fewer than 271 maps and 30 reduces", of[3])
	s.Row("§3.2: time with more than 95 % of map slots full", of[4])
	s.Row("§3.2: time with more than 95 % of reduce slots full", of[5])
	s.Row("§3.3.1: jobs of 1 to 25 maps", of[6])
}

// oneWarehouse returns the medians of maps, reduces and jobs in seconds, then percentages: jobs
// with fewer than 271 maps and 30 reduces, time with full map slots and with full reduce slots, and
// jobs of the first bin.
func oneWarehouse(res *simulator.Result) []float64 {
	var of [7]float64
	for i := range res.Jobs {
		j := &res.Jobs[i]
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
	for i, x := range warehouseTimes(res) {
		of[i] = study.Median(x)
	}
	return of[:]
}

// warehouseTimes returns the times of maps, reduces and jobs in seconds, ascending. The time of a
// task is the mean of the tasks of its job.
func warehouseTimes(res *simulator.Result) (times [3][]float64) {
	for i := range res.Jobs {
		j := &res.Jobs[i]
		if j.Done {
			times[2] = append(times[2], j.Sojourn().Seconds())
		}
		for k, n := range j.Tasks {
			times[k] = append(times[k], slices.Repeat([]float64{j.Busy[k].Seconds() / float64(n)}, n)...)
		}
	}
	for _, x := range times {
		slices.Sort(x)
	}
	return times
}
