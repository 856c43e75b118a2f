package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Outcome compares a replay with its recording. Both have the figures of the jobs that succeeded in
// the recording, without utilization, lost time and time spent on speculative attempts.
type Outcome struct {
	Recorded simulator.Figures // of the recorded run
	Again    simulator.Figures // of the replay, for the same jobs
}

// Run simulates the recorded workload under a policy. If fork is not nil, it changes one decision.
// If `events` is not nil, it receives the events, with explanations. Errors are those of
// simulator.Run. ErrRecording means that the policy has parts that only the program that made the
// recording has.
func (r *Recording) Run(
	ctx context.Context, p scheduling.Policy, fork *scheduling.Fork, events func(event.Event),
) (*Outcome, error) {
	if err := check(&p); err != nil {
		return nil, err
	}
	cfg := r.config(p)
	cfg.Core.Fork = fork
	return r.simulate(ctx, cfg, r.workload(&p), events)
}

// check returns an error if p is invalid or needs a part of the program that made the recording.
func check(p *scheduling.Policy) error {
	if part := cmp.Or(p.Locality.Part, p.Reduce.Part); part != "" {
		return bad("the policy has a part %q of the program that recorded it", part)
	}
	if err := p.Validate(); err != nil {
		return bad("%w", err)
	}
	return nil
}

// simulate runs a workload made from the recording, and compares the result with the recording.
func (r *Recording) simulate(
	ctx context.Context, cfg simulator.Config, w *workload.Workload, events func(event.Event),
) (*Outcome, error) {
	cfg.Core.Events, cfg.Core.Explain = events, events != nil
	res, err := simulator.Run(ctx, cfg, w)
	if err != nil {
		if errors.Is(err, simulator.ErrStalled) {
			err = fmt.Errorf("%w (some job can never run under this policy on the recorded cluster)", err)
		}
		return nil, err
	}
	var before, again []*simulator.JobResult
	for i, j := range r.jobs {
		if !j.succeeded() {
			continue
		}
		got := &res.Jobs[i]
		if got.Failed {
			return nil, fmt.Errorf("job %d %s fails in the replay, and did not in the recording", i+1, j.Name)
		}
		before = append(before, r.figures(j, got.Alone))
		again = append(again, got)
	}
	out := &Outcome{simulator.Sum(before), simulator.Sum(again)}
	if !slices.ContainsFunc(r.jobs, func(j *job) bool { return j.hasOutput }) {
		out.Recorded.Shuffle, out.Again.Shuffle = simulator.ShuffleBytes{}, simulator.ShuffleBytes{} // unknown
	}
	return out, nil
}

// figures returns the recorded result of a job that would take the time `alone` on an idle cluster.
func (r *Recording) figures(j *job, alone time.Duration) *simulator.JobResult {
	o := j.result
	o.Alone = alone
	for t := range j.tasks[scheduling.Map] {
		for _, a := range j.tasks[scheduling.Map][t].tries { // each success counts, also of maps that ran more than once
			if a.end == event.Succeeded {
				o.Maps.Count(a.near, 1)
			}
		}
	}
	for p, a := range j.won(scheduling.Reduce) {
		o.Shuffle.Add(r.input(j, p, a.node))
	}
	return &o
}

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
		if j.Pool != "" && !slices.Contains(names, j.Pool) {
			names = append(names, j.Pool)
		}
	}
	return names
}
