package replay

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// RunLike simulates a workload like the recorded one. It shuffles the times of a job's tasks among
// its tasks, and the times between arrivals among the jobs. Heartbeats have other phases. The same
// seed gives the same workload under every policy. Figures are in Outcome.Again; errors are those
// of Run.
func (r *Recording) RunLike(ctx context.Context, p scheduling.Policy, seed uint64) (*Outcome, error) {
	if err := check(&p); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x11ce))
	cfg, w := r.config(p), r.workload(&p)
	cfg.Seed += seed
	for i := range cfg.Cluster.Machines {
		cfg.Cluster.Machines[i].Beat = 0
	}
	for i := range r.jobs {
		for _, tasks := range cfg.Recorded(i).Tasks {
			rng.Shuffle(len(tasks), func(a, b int) { tasks[a], tasks[b] = tasks[b], tasks[a] })
		}
	}
	shuffleGaps(rng, w)
	return r.simulate(ctx, cfg, w, nil)
}

// shuffleGaps shuffles the times between the arrivals of jobs, except jobs that follow another one.
func shuffleGaps(rng *rand.Rand, w *workload.Workload) {
	var free []int
	var gaps []time.Duration
	for i := range w.Jobs {
		if w.Jobs[i].After != "" {
			continue
		}
		if n := len(free); n > 0 {
			gaps = append(gaps, w.Jobs[i].Submit-w.Jobs[free[n-1]].Submit)
		}
		free = append(free, i)
	}
	rng.Shuffle(len(gaps), func(a, b int) { gaps[a], gaps[b] = gaps[b], gaps[a] })
	for k, gap := range gaps {
		w.Jobs[free[k+1]].Submit = w.Jobs[free[k]].Submit + gap
	}
}

// UsualMap returns the median duration of the maps that succeeded.
func (r *Recording) UsualMap() time.Duration {
	var all []simulator.RecordedTry
	for _, j := range r.jobs {
		for _, a := range j.won(scheduling.Map) {
			all = append(all, simulator.RecordedTry{Time: a.span()})
		}
	}
	return middle(all).Time
}

// Pools returns the names of the jobs' pools, in the order of their first jobs.
func (r *Recording) Pools() (names []string) {
	for _, j := range r.jobs {
		if j.pool != "" && !slices.Contains(names, j.pool) {
			names = append(names, j.pool)
		}
	}
	return names
}
