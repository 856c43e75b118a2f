package pastorelli13

import (
	"context"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Pathologies is what [Pastorelli13 §3.3, §4.3] says of preemption at its worst: work that is killed
// again and again, tasks that pile up suspended, and tasks too short to be worth it.
func Pathologies(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"4 nodes of 2 reduce slots, sizes known, event drive, lognormal factor of sigma 0.3 on " +
			"each task.",
		"Stream: a job of 8 reduces of 500 s, and 30 small jobs of 4 reduces of 60 s, one every " +
			"100 s from 50 s on. Decreasing: 8 jobs of 8 reduces of 400, 350, … 50 s, one every " +
			"10 s. Thresholds: no suspension once 12 tasks are suspended, until 4 are left.",
		"Long and short: the jobs of Fig 7 with reduces of 500 and 400 s, and with a fiftieth of " +
			"that.",
		"Suspending costs nothing here but the slot: no memory goes to disk.",
	}}
	if err := r.AddRows(ctx, o, killLoop, pileSuspended, shortTasks); err != nil {
		return nil, err
	}
	r.Notes = []string{
		"That waiting is to be preferred for short tasks follows from what suspending costs on a " +
			"real machine. The simulator has none of it, so that a fiftieth of all times gives " +
			"the same ratio, and the claim is not judged.",
	}
	return r, nil
}

// preempted is what became of a run under one way to take slots back.
type preempted struct {
	res  *simulator.Result
	most float64 // tasks suspended at a time
}

// taking runs jobs with a change of hfsp.
func taking(
	ctx context.Context, seed uint64, w *workload.Workload, change func(*scheduling.HFSPPolicy),
) (preempted, error) {
	p := setup.Preset("hfsp", func(p *scheduling.Policy) {
		p.HFSP.NoTraining = true
		change(&p.HFSP)
	})
	out, now := preempted{}, 0.0
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: 4, MapSlots: 2, ReduceSlots: 2}, Policy: p, Seed: seed,
	}
	cfg.Core.Events = func(e scheduling.Event) {
		if e.Type == scheduling.EventSuspended {
			now++
		}
		if e.Type == scheduling.EventResumed {
			now--
		}
		out.most = max(out.most, now)
	}
	var err error
	out.res, err = simulator.Run(ctx, cfg, w)
	return out, err
}

// overSeeds gives figures of runs under each seed.
func overSeeds(
	o study.Options, figures int, run func(seed uint64) ([]float64, error),
) ([]study.Sample, error) {
	list := make([]study.Sample, figures)
	for i := range o.Repeats(2, 10) {
		got, err := run(o.Seed + uint64(i))
		if err != nil {
			return nil, err
		}
		for k, v := range got {
			list[k].Values = append(list[k].Values, v)
		}
	}
	return list, nil
}

func eager(h *scheduling.HFSPPolicy) { h.Reclaim = scheduling.EagerSuspend }
func waits(h *scheduling.HFSPPolicy) { h.Reclaim = scheduling.WaitForSlot }
func kills(h *scheduling.HFSPPolicy) { h.Reclaim = scheduling.KillLarger }

// reduceJob is a job of reduces, with one map of a millisecond.
func reduceJob(i int, at time.Duration, reduces int, length time.Duration) workload.Job {
	return workload.Job{
		Name: fmt.Sprintf("j%d", i), User: fmt.Sprintf("u%d", i), Submit: at, Maps: 1,
		Reduces: reduces, NoLocation: true,
		Map:    workload.Cost{Setup: -1, Time: time.Millisecond},
		Reduce: workload.Cost{Setup: -1, Time: length, Spread: 0.3},
	}
}

// killLoop sends small jobs against a large one, whose tasks are killed, or suspended, each time.
func killLoop(ctx context.Context, o study.Options) ([]study.Row, error) {
	w := workload.Workload{Name: "stream", Jobs: []workload.Job{
		reduceJob(0, 0, 8, 500*time.Second),
	}}
	for i := range 30 {
		w.Jobs = append(w.Jobs,
			reduceJob(i+1, time.Duration(50+100*i)*time.Second, 4, time.Minute))
	}
	got, err := overSeeds(o, 3, func(seed uint64) ([]float64, error) {
		soft, err := taking(ctx, seed, &w, eager)
		if err != nil {
			return nil, err
		}
		hard, err := taking(ctx, seed, &w, kills)
		if err != nil {
			return nil, err
		}
		work := 100 / (8 * 500.0)
		return []float64{
			hard.res.Jobs[0].Sojourn().Seconds() / soft.res.Jobs[0].Sojourn().Seconds(),
			work * hard.res.Jobs[0].Preempted.LostS, work * soft.res.Jobs[0].Preempted.LostS,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return []study.Row{
		study.SaidRow("stream: large job, kill over eager", "×", "killing is not optimal",
			study.More(1), got[0]),
		study.SaidRow("stream: work killed, of the large job's", "%", "it wastes work",
			study.More(0), got[1]),
		study.OwnRow("stream: work lost by suspending, of the large job's", "%", "none",
			study.AtMost(0), got[2]),
	}, nil
}

// pileSuspended lets jobs of decreasing size come one after the other, with and without thresholds.
func pileSuspended(ctx context.Context, o study.Options) ([]study.Row, error) {
	w := workload.Workload{Name: "decreasing"}
	for i := range 8 {
		w.Jobs = append(w.Jobs, reduceJob(i, time.Duration(10*i)*time.Second, 8,
			time.Duration(400-50*i)*time.Second))
	}
	const high, low = 12, 4
	got, err := overSeeds(o, 3, func(seed uint64) ([]float64, error) {
		free, err := taking(ctx, seed, &w, eager)
		if err != nil {
			return nil, err
		}
		bounded, err := taking(ctx, seed, &w, func(h *scheduling.HFSPPolicy) {
			h.SuspendHigh, h.SuspendLow = high, low
		})
		if err != nil {
			return nil, err
		}
		return []float64{
			free.most, bounded.most,
			bounded.res.Report.Sojourn.Mean / free.res.Report.Sojourn.Mean,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	return []study.Row{
		study.SaidRow("decreasing sizes, no thresholds: most tasks suspended at a time", "",
			"many: more than all slots, 8, hold", study.More(8), got[0]),
		study.SaidRow("decreasing sizes, thresholds: most tasks suspended at a time", "",
			fmt.Sprintf("not more than the threshold, %d", high), study.AtMost(high), got[1]),
		study.OwnRow("decreasing sizes: mean sojourn with thresholds over without", "×",
			"the price of waiting", study.More(1), got[2]),
	}, nil
}

// shortTasks compares waiting with suspending for long tasks and for short ones.
func shortTasks(ctx context.Context, o study.Options) ([]study.Row, error) {
	over := func(part time.Duration) (study.Sample, error) {
		w := workload.Workload{Name: "lengths"}
		for i, reduces := range []int{11, 2, 1, 1, 1} {
			length := 400 * time.Second
			if i == 0 {
				length = 500 * time.Second
			}
			w.Jobs = append(w.Jobs, reduceJob(i, time.Duration(min(i, 1))*10*time.Second/part,
				reduces, length/part))
		}
		got, err := overSeeds(o, 1, func(seed uint64) ([]float64, error) {
			hard, err := taking(ctx, seed, &w, waits)
			if err != nil {
				return nil, err
			}
			soft, err := taking(ctx, seed, &w, eager)
			if err != nil {
				return nil, err
			}
			return []float64{hard.res.Report.Sojourn.Mean / soft.res.Report.Sojourn.Mean}, nil
		})
		if err != nil {
			return study.Sample{}, err
		}
		return got[0], nil
	}
	long, err := over(1)
	if err != nil {
		return nil, err
	}
	short, err := over(50)
	if err != nil {
		return nil, err
	}
	return []study.Row{
		study.SaidRow("long tasks: mean sojourn, wait over eager", "×",
			"eager preemption brings shorter sojourn times", study.Significant(), long),
		study.Shown("short tasks: mean sojourn, wait over eager", "×",
			short).Saying("waiting is to be preferred"),
	}, nil
}
