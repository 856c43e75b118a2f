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

// Figures sum up the jobs of a run that succeeded in the recording. Times are in seconds, shares from
// 0 to 1. Numbers are rounded to millionths.
type Figures struct {
	Jobs      int     `json:"jobs"`
	Mean      float64 `json:"sojourn_mean_s"`
	Median    float64 `json:"sojourn_median_s"`
	P95       float64 `json:"sojourn_p95_s"`
	Makespan  float64 `json:"makespan_s"`       // from the first submission to the last end
	NodeLocal float64 `json:"node_local_share"` // of the maps that have a place; 1 if there is none
	RackLocal float64 `json:"rack_local_share"` // of them, in the rack but not on the node
	OffRackGB float64 `json:"off_rack_shuffle_gb"`
	// FairnessJain is Jain's index of the jobs' speeds, as in simulator.Figures.
	FairnessJain float64 `json:"fairness_jain"`
	Killed       int     `json:"killed"` // to give slots back
	Suspended    int     `json:"suspended"`
	Copies       int     `json:"copies"`
}

// one is what figures take of a job.
type one struct {
	arrived, ended, alone     time.Duration
	maps                      [3]int
	offRack                   int64
	killed, suspended, copies int
}

// sum adds up.
func sum(list []one) Figures {
	f := Figures{Jobs: len(list), NodeLocal: 1, FairnessJain: 1}
	if len(list) == 0 {
		return f
	}
	first, last := list[0].arrived, list[0].ended
	times := make([]float64, 0, len(list))
	var maps [3]int
	var x, xx, total float64
	var bytes int64
	for _, j := range list {
		first, last = min(first, j.arrived), max(last, j.ended)
		t := (j.ended - j.arrived).Seconds()
		times = append(times, t)
		total += t
		speed := j.alone.Seconds() / max(t, 1e-9)
		x, xx = x+speed, xx+float64(speed*speed)
		for l, n := range j.maps {
			maps[l] += n
		}
		bytes += j.offRack
		f.Killed, f.Suspended, f.Copies = f.Killed+j.killed, f.Suspended+j.suspended, f.Copies+j.copies
	}
	slices.Sort(times)
	f.Mean, f.Median, f.P95 = round(total/float64(len(times))), round(quantile(times, 0.5)), round(quantile(times, 0.95))
	f.Makespan, f.OffRackGB = round((last - first).Seconds()), round(float64(bytes)/1e9)
	if all := float64(maps[0] + maps[1] + maps[2]); all > 0 {
		f.NodeLocal, f.RackLocal = round(float64(maps[0])/all), round(float64(maps[1])/all)
	}
	if xx > 0 {
		f.FairnessJain = round(x * x / (float64(len(list)) * xx))
	}
	return f
}

func round(f float64) float64 { return math.Round(f*1e6) / 1e6 }

// quantile interpolates between sorted numbers.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	t := sorted[low]
	if low+1 < len(sorted) {
		t += float64((at - float64(low)) * (sorted[low+1] - t))
	}
	return t
}

// Outcome is a replay beside what was recorded.
type Outcome struct {
	Recorded Figures // of the recording
	Again    Figures // of the replay, of the same jobs
}

// Run runs the recorded workload under a policy. events, if not nil, is told what happens, with
// explanations. Errors are those of simulator.Run, and ErrRecording where the policy has parts that only
// the recording program knows.
func (r *Recording) Run(ctx context.Context, p scheduling.Policy, events func(event.Event)) (*Outcome, error) {
	if err := check(&p); err != nil {
		return nil, err
	}
	return r.simulate(ctx, r.config(p), r.workload(&p), events)
}

// check refuses a policy that only the recording program can make.
func check(p *scheduling.Policy) error {
	if part := cmp.Or(p.Locality.Part, p.Reduce.Part); part != "" {
		return bad("the policy has a part %q of the program that recorded it", part)
	}
	if err := p.Validate(); err != nil {
		return bad("%w", err)
	}
	return nil
}

// simulate runs a workload made of the recording, and sums up.
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
	var before, again []one
	for i, j := range r.jobs {
		if !j.succeeded() {
			continue
		}
		got := &res.Jobs[i]
		if got.Failed {
			return nil, fmt.Errorf("job %d %s fails in the replay, and did not in the recording", i+1, j.name)
		}
		before = append(before, j.figures(got.Alone))
		again = append(again, one{
			got.Arrived, got.Ended, got.Alone,
			[3]int{got.Maps.NodeLocal, got.Maps.RackLocal, got.Maps.OffRack},
			got.Shuffle.OffRack, got.Preempted.Killed, got.Preempted.Suspended, got.Copies.Launched,
		})
	}
	out := &Outcome{sum(before), sum(again)}
	if !slices.ContainsFunc(r.jobs, func(j *job) bool { return j.hasOutput }) {
		out.Recorded.OffRackGB, out.Again.OffRackGB = 0, 0 // nobody knows
	}
	return out, nil
}

// figures is what figures take of a recorded job.
func (j *job) figures(alone time.Duration) one {
	o := one{
		arrived: j.submitted, ended: j.ended, alone: alone, offRack: j.shuffled[2],
		killed: j.killed, suspended: j.suspended, copies: j.copies,
	}
	for t := range j.tasks[scheduling.Map] {
		for _, a := range j.tasks[scheduling.Map][t].tries { // those that ran again count again
			if a.out == succeeded && a.near >= 0 {
				o.maps[a.near]++
			}
		}
	}
	return o
}
