package zaharia10

import (
	"fmt"
	"math"
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

func newWarehouseRun(jobs int, wait time.Duration) warehouseRun {
	return warehouseRun{jobs, warehouse(), study.Policy("hfs", "hfs", setup.Waits(wait, wait),
		func(p *scheduling.Policy) { p.OneTask, p.SlowStart = true, -1 })}
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
	naive := newWarehouseRun(jobs, 0).simulate(s, seeds)
	delay := newWarehouseRun(jobs, 10*time.Second).simulate(s, seeds)
	for i, name := range []string{"fig2", "fig2-delay"} {
		fig, r := s.Plot(name), []*study.Runs{naive, delay}[i]
		for _, b := range warehouseBins {
			fig.Bar("node-local", b.name, r.ClassLocality(b.name, scheduling.NodeLocal))
			fig.Bar("rack-local or nearer", b.name, r.ClassLocality(b.name, scheduling.RackLocal))
		}
	}
	timeRows(s, naive)
	first, last := warehouseBins[0].name, warehouseBins[len(warehouseBins)-1].name
	s.Row("Fig 2: jobs of 1 to 25 maps: node-local", naive.Local(first, scheduling.NodeLocal))
	s.Row("Fig 2: jobs of 1 to 25 maps: rack-local or nearer",
		naive.Local(first, scheduling.RackLocal))
	var rises []study.Sample
	for i, b := range warehouseBins[1:] {
		rises = append(rises, naive.Local(b.name, scheduling.NodeLocal).
			Minus(naive.Local(warehouseBins[i].name, scheduling.NodeLocal)))
	}
	s.Row("Fig 2: node-local, least rise from bin to bin", slices.MinFunc(rises, study.ByMean))
	s.Row("Fig 2: rack-local or nearer, last bin less first",
		naive.Local(last, scheduling.RackLocal).Minus(naive.Local(first, scheduling.RackLocal)))
	s.Row("jobs of 1 to 25 maps, W1 = W2 = 10 s: node-local",
		delay.Local(first, scheduling.NodeLocal))
	var maps []float64 // of the drawn jobs
	for _, one := range naive.Results {
		for i := range one.Jobs {
			maps = append(maps, float64(one.Jobs[i].Tasks[0]))
		}
	}
	slices.Sort(maps)
	for _, percent := range []float64{98, 99, 99.5, 100} {
		at := min(int(float64(len(maps))*percent/100), len(maps)-1)
		s.Row(fmt.Sprintf("§5.1: %g %% of the jobs have at most", percent), study.Sure(maps[at]))
	}
	warehouseTable(s, jobs/3)
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
	study.Vary(s, s.Extra("sensitivity"), 1, newWarehouseRun(jobs, 0), list, func(w warehouseRun) []float64 {
		r, first := w.simulate(s, 1), warehouseBins[0].name
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
		if j.Class == warehouseBins[0].name {
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

// Facebook's warehouse as [Zaharia10 §3.2] describes it. It gives the median times of tasks; the
// means follow from its 3,100 slots and the number that free up each second under load.
const (
	warehouseNodes     = 620
	warehouseMedianMap = 19 * time.Second
	warehouseMeanMap   = 114 * time.Second // 3,100 slots / 27.1 a second
	warehouseMedianRed = 231 * time.Second
	warehouseMeanRed   = 1033 * time.Second // 3,100 slots / 3.0 a second
	warehouseRead      = 6 * time.Second    // for which a node-local map reads its block
	warehouseLongest   = 2 * time.Hour      // maximum computing time of a task
)

// warehouse returns the settings of a simulation of Facebook's cluster.
func warehouse() simulator.Config {
	return simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: warehouseNodes, Racks: 16, MapSlots: 5, ReduceSlots: 5, Replicas: 3,
			Setup: time.Second, ReadRate: workload.DefaultBlock / warehouseRead.Seconds(),
			MergeRate: -1,
		},
		Network: simulator.Network{ReadFactor: [3]float64{1, 1.5, 2}, ShuffleRate: 1e12},
		Drive:   simulator.HeartbeatDrive, Interval: scheduling.HeartbeatInterval(warehouseNodes),
		JobSetup: 12 * time.Second, JobCleanup: 6 * time.Second, Sample: 10 * time.Second,
	}
}

// taskTimes returns the lognormal distribution with this median and mean, in seconds.
func taskTimes(median, mean time.Duration) workload.Dist {
	sigma := math.Sqrt(2 * math.Log(mean.Seconds()/median.Seconds()))
	return workload.Dist{Shape: workload.LogNormal, A: median.Seconds(), B: sigma}
}

// warehouseJobs draws n jobs. The class of a job is its bin in warehouseBins.
func warehouseJobs(r *rand.Rand, n int) workload.Workload {
	const march = 0.484 // puts 58 % of the jobs below 26 maps
	bins := [...]struct{ part, low, high float64 }{
		{march * 39, 1, 1},
		{march * 16, 2, 2},
		{14, 3, 20},
		{9, 21, 60},
		{6, 61, 150},
		{6, 151, 300},
		{4, 301, 500},
		{4, 501, 1500},
		{3, 1501, 25000},
	}
	const total = march*(39+16) + 14 + 9 + 6 + 6 + 4 + 4 + 3
	fixed := warehouseRead + time.Second
	maps := taskTimes(warehouseMedianMap-fixed, warehouseMeanMap-fixed)
	reduces := taskTimes(warehouseMedianRed, warehouseMeanRed)
	w := workload.Workload{Name: "warehouse"}
	var at time.Duration
	for i := range n {
		x, b := total*r.Float64(), 0
		for ; b < len(bins)-1 && x >= bins[b].part; b++ {
			x -= bins[b].part
		}
		size := bins[b].low * math.Pow((bins[b].high+1)/bins[b].low, r.Float64())
		if b == len(bins)-1 {
			size = bins[b].low *
				math.Pow(1-r.Float64()*(1-math.Pow(bins[b].low/bins[b].high, 1.5)), -1/1.5)
		}
		j := workload.Job{
			Name: fmt.Sprintf("job%04d", i), User: fmt.Sprintf("user%03d", i%200), Submit: at,
			Maps: int(math.Min(size, bins[b].high)),
		}
		j.InputBytes = int64(j.Maps) * workload.DefaultBlock
		bin := slices.IndexFunc(warehouseBins, func(b warehouseBin) bool { return j.Maps <= b.most })
		j.Class = warehouseBins[bin].name
		j.Map = workload.Cost{CPU: -1, Time: min(maps.Span(r), warehouseLongest), Spread: 0.4}
		reduce := workload.Cost{CPU: -1, Time: min(reduces.Span(r), warehouseLongest), Spread: 0.4}
		if r.IntN(4) == 0 {
			j.Reduces, j.Reduce, j.ShuffleBytes = max(1, j.Maps/10), reduce, 1
		}
		w.Jobs = append(w.Jobs, j)
		at += time.Duration(r.ExpFloat64() * float64(workload.FacebookGap))
	}
	return w
}

// warehouseBin is a bin of jobs by their maps.
type warehouseBin struct {
	name string
	most int // maps of a job
}

// warehouseBins are the bins of Fig 2. Only the first is given in the paper.
var warehouseBins = []warehouseBin{
	{"1–25", 25}, {"26–100", 100}, {"101–400", 400}, {"401–1500", 1500}, {"over 1500", math.MaxInt},
}
