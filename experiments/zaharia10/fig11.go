package zaharia10

import (
	"fmt"
	"math"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// fig11 is [Zaharia10 Fig 11, §5.2.1]: two levels of sharing over time.
func fig11(s *study.Study) {
	w := workload.Hierarchy(true)
	runs := hierarchy(s, &w, setup.EC2().Interval, s.Repeats(1, 10))
	first := newTimeline(runs.Results[0])
	fig := s.Plot("fig11", "Share of the running maps by job", "seconds", "running maps (%)")
	fig.Stacked = true
	for i := range w.Jobs {
		line := fig.Line(fmt.Sprintf("%s (%s)", w.Jobs[i].Name, w.Jobs[i].Pool))
		line.X, line.Y = first.at, first.running[i]
	}
	two, three := reachedAfter(runs)
	s.Printed("pool 2 reaches 50 % after", "s", 17, study.Size, two)
	s.Printed("pool 3 reaches 33 % after", "s", 12, study.Size, three)
	shares(s, runs)
	s.PrintedRange("node-local, the least of the jobs", "%", 99, 100, study.Share,
		runs.By(leastLocal)).Saying("99 to 100 %, all jobs")
	for job := 2; job <= 3; job++ {
		s.Said(fmt.Sprintf("pool 3: job %d ends before job %d by", job+1, job+2), "s",
			"first in, first out", study.More(0), runs.By(func(r *simulator.Result) float64 {
				return (r.Jobs[job+1].Ended - r.Jobs[job].Ended).Seconds()
			}))
	}
	s.Said("pool 3: its running maps that are the first two jobs', until the first ends", "%",
		"as the first job finishes tasks the second gets the slots", study.More(95), runs.By(firstTwo))
	t := s.Extra("heartbeats", "Time to reach the share by the interval of heartbeats (s)", "interval",
		"pool 2", "pool 3")
	t.Add("published", 17, 12)
	list := []study.Choice[time.Duration]{
		study.With("1s", func(d *time.Duration) { *d = time.Second }),
		{Name: "3s"},
		study.With("5s", func(d *time.Duration) { *d = 5 * time.Second }),
	}
	study.Vary(s, t, 1, 3*time.Second, list, func(interval time.Duration) []float64 {
		two, three := reachedAfter(hierarchy(s, &w, interval, s.Repeats(1, 5)))
		return []float64{two.Mean(), three.Mean()}
	})
}

// hierarchy runs the jobs with heartbeats at an interval.
func hierarchy(
	s *study.Study, w *workload.Workload, interval time.Duration, seeds int,
) *study.Runs {
	p := study.Policy("hfs", "hfs", setup.Waits(5*time.Second, 0), func(p *scheduling.Policy) {
		p.Pools = scheduling.Allocations{Pools: []scheduling.PoolConfig{
			{Name: "pool1"}, {Name: "pool2"}, {Name: "pool3", Mode: scheduling.FIFOMode},
		}}
	})
	cfg := setup.EC2()
	cfg.Interval = interval
	cfg.Cluster.Setup, cfg.Cluster.ReadRate = -1, 1e12
	cfg.Sample, cfg.Until = time.Second, 700*time.Second
	return s.Simulate(cfg, p, seeds, study.Always(*w))
}

// leastLocal is the node-local part of the maps of the job that has the least, in per cent.
func leastLocal(r *simulator.Result) float64 {
	least := 100.0
	for i := range r.Jobs {
		if j := &r.Jobs[i]; j.Tasks[0] > 0 {
			least = min(least, 100*j.Maps.Share(scheduling.NodeLocal))
		}
	}
	return least
}

// firstTwo is the part of pool 3's running maps that are not its third job's while its first runs.
func firstTwo(r *simulator.Result) float64 {
	two, three, t := 0.0, 0.0, newTimeline(r)
	for n, at := range t.at {
		if at >= 118 && at < r.Jobs[2].Ended.Seconds() {
			two += t.running[2][n] + t.running[3][n]
			three += t.running[4][n]
		}
	}
	return 100 * two / (two + three)
}

// shares compares the shares with the published ones, and shows them as parts of the running maps and
// of all slots.
func shares(s *study.Study, runs *study.Runs) {
	t := s.Table("definition", "Share of the running maps, and of all 400 slots (%)",
		"job and time", "of the running maps", "of all slots")
	for _, c := range []struct {
		row, line string
		published float64
		job       int
		from, to  float64
	}{
		{"pool 2 once it has its share (90 to 117 s)", "pool 2, 90 to 117 s", 50, 1, 90, 117},
		{"job 1 before the last job (400 to 490 s)", "job 1, 400 to 490 s", 50, 0, 400, 490},
		{"job 1 after it (520 to 575 s)", "job 1, 520 to 575 s", 25, 0, 520, 575},
		{"last job (520 to 575 s)", "last job, 520 to 575 s", 25, 5, 520, 575},
		{"pool 2 (520 to 575 s)", "pool 2, 520 to 575 s", 50, 1, 520, 575},
	} {
		both := runs.Each(func(r *simulator.Result) []float64 {
			t := newTimeline(r)
			return []float64{
				study.Average(t.part(t.running[c.job], c.from, c.to)),
				study.Average(t.part(t.slots[c.job], c.from, c.to)),
			}
		})
		s.Printed(c.row, "%", c.published, study.Share, both[0])
		t.Add(c.line, both[0].Mean(), both[1].Mean())
	}
}

// reachedAfter is how long pools 2 and 3 take to their shares, within 2 points.
func reachedAfter(runs *study.Runs) (two, three study.Sample) {
	both := runs.Each(func(r *simulator.Result) []float64 {
		t := newTimeline(r)
		return []float64{t.reach(57, 48, 1), t.reach(118, 31.3, 2, 3, 4)}
	})
	return both[0], both[1]
}

// timeline is the jobs' shares at each sample, in per cent.
type timeline struct {
	at      []float64   // seconds
	running [][]float64 // by job: of the running maps
	slots   [][]float64 // by job: of the 400 map slots
}

func newTimeline(r *simulator.Result) *timeline {
	t := &timeline{}
	for range r.Jobs {
		t.running = append(t.running, make([]float64, len(r.Samples)))
		t.slots = append(t.slots, make([]float64, len(r.Samples)))
	}
	for n, s := range r.Samples {
		t.at = append(t.at, s.At.Seconds())
		sum := 0
		for _, j := range s.Jobs {
			sum += j.Slots[0]
		}
		for _, j := range s.Jobs {
			t.running[j.Job][n] = 100 * float64(j.Slots[0]) / float64(sum)
			t.slots[j.Job][n] = 100 * float64(j.Slots[0]) / 400
		}
	}
	return t
}

// part cuts out the samples from one time to another, in seconds.
func (t *timeline) part(y []float64, from, to float64) []float64 {
	var x []float64
	for n := range t.at {
		if t.at[n] >= from && t.at[n] < to {
			x = append(x, y[n])
		}
	}
	return x
}

// reach is how long after a time the jobs together have a share of the running maps, NaN if they
// never do.
func (t *timeline) reach(from, want float64, jobs ...int) float64 {
	for n := range t.at {
		sum := 0.0
		for _, i := range jobs {
			sum += t.running[i][n]
		}
		if t.at[n] >= from && sum >= want {
			return t.at[n] - from
		}
	}
	return math.NaN()
}
