package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Figures summarizes the jobs of a run that succeeded in the recording. Times are in seconds,
// shares from 0 to 1. Numbers are rounded to millionths.
type Figures struct {
	Jobs      int     `json:"jobs"`
	Mean      float64 `json:"sojourn_mean_s"`
	Median    float64 `json:"sojourn_median_s"`
	P95       float64 `json:"sojourn_p95_s"`
	Makespan  float64 `json:"makespan_s"`       // from the first submission to the last end
	NodeLocal float64 `json:"node_local_share"` // of the maps that have a place; 1 without any
	RackLocal float64 `json:"rack_local_share"` // of them, in the rack but not on the node
	OffRackGB float64 `json:"off_rack_shuffle_gb"`
	// FairnessJain is Jain's index of the jobs' speeds, as in simulator.Figures.
	FairnessJain float64 `json:"fairness_jain"`
	Killed       int     `json:"killed"` // to free slots
	Suspended    int     `json:"suspended"`
	Copies       int     `json:"copies"`
}

// sum computes the figures of jobs.
func sum(list []*simulator.JobResult) Figures {
	all := simulator.Sum(list)
	f := Figures{
		Jobs: all.Jobs, Mean: all.Sojourn.Mean, Median: all.Sojourn.Median, P95: all.Sojourn.P95, Makespan: all.MakespanS,
		NodeLocal: round(all.Maps.Share(scheduling.NodeLocal)), OffRackGB: round(float64(all.Shuffle.OffRack) / 1e9),
		FairnessJain: all.FairnessJain, Killed: all.Preempted.Killed, Suspended: all.Preempted.Suspended, Copies: all.Copies.Launched,
	}
	if maps := all.Maps.All(); maps > 0 {
		f.RackLocal = round(float64(all.Maps.RackLocal) / float64(maps))
	}
	return f
}

func round(f float64) float64 { return math.Round(f*1e6) / 1e6 }

// Outcome is the result of a replay with that of the recording.
type Outcome struct {
	Recorded Figures // of the recording
	Again    Figures // of the replay, of the same jobs
}

// Run simulates the recorded workload under a policy. events, if not nil, receives the events, with
// explanations. Errors are those of simulator.Run, and ErrRecording if the policy has parts that
// only the recording program has.
func (r *Recording) Run(ctx context.Context, p scheduling.Policy, events func(event.Event)) (*Outcome, error) {
	return r.RunFork(ctx, p, nil, events)
}

// RunFork is like Run, with one decision changed if fork is not nil. The nodes of fork are numbered
// as in the events of Run, which may differ from the recording.
func (r *Recording) RunFork(
	ctx context.Context, p scheduling.Policy, fork *scheduling.Fork, events func(event.Event),
) (*Outcome, error) {
	if err := check(&p); err != nil {
		return nil, err
	}
	cfg := r.config(p)
	cfg.Core.Fork = fork
	return r.simulate(ctx, cfg, r.workload(&p), events)
}

// check rejects a policy that only the recording program can create.
func check(p *scheduling.Policy) error {
	if part := cmp.Or(p.Locality.Part, p.Reduce.Part); part != "" {
		return bad("the policy has a part %q of the program that recorded it", part)
	}
	if err := p.Validate(); err != nil {
		return bad("%w", err)
	}
	return nil
}

// simulate runs a workload made from the recording, and computes the outcome.
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
			return nil, fmt.Errorf("job %d %s fails in the replay, and did not in the recording", i+1, j.name)
		}
		before = append(before, j.figures(got.Alone))
		again = append(again, got)
	}
	out := &Outcome{sum(before), sum(again)}
	if !slices.ContainsFunc(r.jobs, func(j *job) bool { return j.hasOutput }) {
		out.Recorded.OffRackGB, out.Again.OffRackGB = 0, 0 // unknown
	}
	return out, nil
}

// figures returns the result of a recorded job.
func (j *job) figures(alone time.Duration) *simulator.JobResult {
	o := &simulator.JobResult{
		Arrived: j.submitted, Ended: j.ended, Alone: alone, Shuffle: simulator.ShuffleBytes{OffRack: j.shuffled[2]},
		Preempted: simulator.Preempted{Killed: j.killed, Suspended: j.suspended}, Copies: simulator.Copies{Launched: j.copies},
	}
	levels := [...]*int{&o.Maps.NodeLocal, &o.Maps.RackLocal, &o.Maps.OffRack}
	for t := range j.tasks[scheduling.Map] {
		for _, a := range j.tasks[scheduling.Map][t].tries { // including those that ran again
			if a.out == succeeded && a.near >= 0 {
				*levels[a.near]++
			}
		}
	}
	return o
}
