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

// fig11 reproduces [Zaharia10 Fig 11, §5.2.1]: the shares of three pools and their jobs over time.
func fig11(s *study.Study) {
	base := hierarchy{setup.EC2().Interval, 0.1, false}
	runs := base.run(s, s.Repeats(1, 40))
	setup.NewTimeline(runs.Results[0]).Parts().Draw(s.Plot("fig11"))
	after := runs.Each(reachedAfter)
	s.Row("pool 2 reaches 50 % after", after[0])
	s.Row("pool 3 reaches 33 % after", after[1])
	shares(s, runs)
	s.Row("node-local, the least of the jobs", runs.By(func(r *simulator.Result) float64 {
		least := 100.0
		for _, j := range r.Jobs {
			if j.Tasks[0] > 0 {
				least = min(least, 100*j.Maps.Share(scheduling.NodeLocal))
			}
		}
		return least
	}))
	for job := 2; job <= 3; job++ {
		s.Row(fmt.Sprintf("pool 3: job %d ends before job %d by", job+1, job+2),
			runs.By(func(r *simulator.Result) float64 {
				return (r.Jobs[job+1].Ended - r.Jobs[job].Ended).Seconds()
			}))
	}
	s.Row("pool 3: its running maps that are the first two jobs', until the first ends",
		runs.By(func(r *simulator.Result) float64 {
			t := setup.NewTimeline(r).Parts()
			until := r.Jobs[2].Ended + t.Every - 1 // with the sample before the end
			two, all := t.Mean(118*time.Second, until, 2, 3), t.Mean(118*time.Second, until, 2, 3, 4)
			return 100 * two / all
		}))
	bumps(s, base, runs)
	t := s.Extra("choices").Add("published", 17, 12)
	list := []study.Choice[hierarchy]{
		{Name: "as set up"},
		study.With("heartbeats every second", func(h *hierarchy) { h.interval = time.Second }),
		study.With("heartbeats every 5 s", func(h *hierarchy) { h.interval = 5 * time.Second }),
		study.With("sigma 0.05", func(h *hierarchy) { h.spread = 0.05 }),
		study.With("sigma 0.15", func(h *hierarchy) { h.spread = 0.15 }),
		study.With("with the bug", func(h *hierarchy) { h.bug = true }),
	}
	study.Vary(s, t, 1, base, list, func(h hierarchy) []float64 {
		after := h.run(s, s.Repeats(1, 10)).Each(reachedAfter)
		return []float64{after[0].Mean(), after[1].Mean()}
	})
}

// bumps compares the largest shares of pools 2 and 3 at their start, under commitPending and hfs.
func bumps(s *study.Study, h hierarchy, hfs *study.Runs) {
	h.bug = true
	runs := h.run(s, s.Repeats(1, 40))
	setup.NewTimeline(runs.Results[0]).Parts().Draw(s.Plot("bumps"))
	most := func(r *simulator.Result) []float64 {
		t := setup.NewTimeline(r).Parts()
		return []float64{
			slices.Max(t.Between(57*time.Second, 97*time.Second, []int{1})),
			slices.Max(t.Between(118*time.Second, 142*time.Second, []int{2, 3, 4})),
		}
	}
	bug, none := runs.Each(most), hfs.Each(most)
	two, three := bug[0].Over(none[0]), bug[1].Over(none[1])
	s.Row("pool 2: greatest share as it starts, with the commit-pending bug over without", two)
	s.Row("pool 3: the same", three)
	s.Row("pool 2's bump less pool 3's", two.Minus(three))
}

// hierarchy contains the parameters of the experiment that the paper does not give.
type hierarchy struct {
	interval time.Duration // of heartbeats
	spread   float64       // sigma of the times of maps
	bug      bool          // commitPending in place of hfs
}

// run simulates the jobs of the three pools, once for each seed.
func (h hierarchy) run(s *study.Study, seeds int) *study.Runs {
	const first = "pool3" // the FIFO pool
	p := study.Policy("hfs", "hfs", setup.Waits(5*time.Second, 0), func(p *scheduling.Policy) {
		p.Pools = scheduling.Allocations{Pools: []scheduling.PoolConfig{
			{Name: "pool1"}, {Name: "pool2"}, {Name: first, Mode: scheduling.FIFOMode},
		}}
		if h.bug {
			p.Order, p.Pools = "commit pending", scheduling.Allocations{}
		}
	})
	cfg := setup.EC2()
	cfg.Interval = h.interval
	cfg.Cluster.Setup, cfg.Cluster.ReadRate = -1, 1e12
	cfg.Sample, cfg.Until = time.Second, 700*time.Second
	cfg.Core.Parts.Orders = map[string]func() scheduling.JobOrder{
		"commit pending": func() scheduling.JobOrder {
			return &commitPending{first, h.interval, map[scheduling.JobID][]time.Duration{}}
		},
	}
	return s.Simulate(cfg, p, seeds, study.Changed(study.Always(workload.Hierarchy(true)),
		func(j *workload.Job) { j.Map.Spread = h.spread }))
}

// shares adds rows for the jobs' shares in some intervals, and a table of them as percentages of
// the running maps and of all slots.
func shares(s *study.Study, runs *study.Runs) {
	t := s.Table("definition")
	for _, c := range []struct {
		row, line string
		job       int
		from, to  time.Duration // seconds
	}{
		{"pool 2 once it has its share (90 to 117 s)", "pool 2, 90 to 117 s", 1, 90, 117},
		{"job 1 before the last job (400 to 490 s)", "job 1, 400 to 490 s", 0, 400, 490},
		{"job 1 after it (520 to 575 s)", "job 1, 520 to 575 s", 0, 520, 575},
		{"last job (520 to 575 s)", "last job, 520 to 575 s", 5, 520, 575},
		{"pool 2 (520 to 575 s)", "pool 2, 520 to 575 s", 1, 520, 575},
	} {
		from, to := c.from*time.Second, c.to*time.Second
		running := setup.Timelines(runs, func(t setup.Timeline) float64 {
			return t.Parts().Mean(from, to, c.job)
		})
		s.Row(c.row, running)
		t.Add(c.line, running.Mean(), setup.Held(runs, from, to, c.job).Mean()/4)
	}
}

// reachedAfter returns how long pools 2 and 3 take to reach their shares, within 2 points.
func reachedAfter(r *simulator.Result) []float64 {
	t := setup.NewTimeline(r).Parts()
	return []float64{t.Reach(57*time.Second, 48, 1), t.Reach(118*time.Second, 31.3, 2, 3, 4)}
}

// commitPending orders jobs by fair sharing between pools and within each, except that one pool is
// FIFO. It counts running maps as the paper's Hadoop did: one that has ended counts for another
// heartbeat, while its slot is already free for others (§3.3.2).
type commitPending struct {
	fifo    string        // the FIFO pool
	pending time.Duration // time for which an ended map still counts
	ends    map[scheduling.JobID][]time.Duration
}

// counted returns how many maps of a job count as running: also those that have just ended.
func (o *commitPending) counted(q scheduling.View, id scheduling.JobID) int {
	j, _ := q.Job(id)
	ends := o.ends[id]
	maps := &j.Kinds[scheduling.Map]
	for len(ends) < maps.Done {
		ends = append(ends, q.Now())
	}
	o.ends[id] = ends
	n := maps.Running
	for i := len(ends) - 1; i >= 0 && ends[i] > q.Now()-o.pending; i-- {
		n++
	}
	return n
}

// Rank implements scheduling.JobOrder. The pool with the fewest counted maps goes first; within it,
// the job with the fewest, or the oldest job of the FIFO pool.
func (o *commitPending) Rank(q scheduling.View, id scheduling.JobID, _ scheduling.TaskKind) float64 {
	mine, _ := q.Spec(id) // the Core asks about jobs that there are
	pool, own := 0, 0
	for _, other := range q.Active() {
		spec, _ := q.Spec(other)
		if spec.Pool != mine.Pool {
			continue
		}
		n := o.counted(q, other)
		if pool += n; other == id {
			own = n
		}
	}
	if mine.Pool == o.fifo {
		own = int(id)
	}
	return float64(pool) + float64(own)/1e6
}
