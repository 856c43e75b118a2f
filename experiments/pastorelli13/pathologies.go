package pastorelli13

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// preempted is the result of a run under one way of HFSP to take slots back from larger jobs.
type preempted struct {
	*simulator.Result
	most float64 // maximum number of tasks suspended at a time
}

// runHFSP runs jobs on four nodes under HFSP with a changed setting.
func runHFSP(
	s *study.Study, seed uint64, w *workload.Workload, change func(*scheduling.HFSPPolicy),
) preempted {
	most, now := 0.0, 0.0
	cfg := onFourNodes(seed, change)
	cfg.Core.Events = func(e event.Event) {
		if e.Type == event.Suspended {
			now++
		}
		if e.Type == event.Resumed {
			now--
		}
		most = max(most, now)
	}
	return preempted{s.Run(cfg, w), most}
}

// eager, waits and kills are the ways to take slots back: suspend tasks of larger jobs, wait for
// their end, or kill them.
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

// pathologies measures the worst cases of preemption in [Pastorelli13 §3.3, §4.3]: a job that is
// killed again and again, suspended tasks that pile up, and tasks too short to be suspended.
func pathologies(s *study.Study) {
	// Each of a stream of small jobs kills, or suspends, some tasks of a large job.
	w := workload.Workload{Name: "stream", Jobs: []workload.Job{
		reduceJob(0, 0, 8, 500*time.Second),
	}}
	for i := range 30 {
		w.Jobs = append(w.Jobs, reduceJob(i+1, time.Duration(50+100*i)*time.Second, 4, time.Minute))
	}
	got := s.Seeds(s.Repeats(2, 10), func(seed uint64) []float64 {
		soft, hard := runHFSP(s, seed, &w, eager).Jobs[0], runHFSP(s, seed, &w, kills).Jobs[0]
		work := 100 / (8 * 500.0) // percent of the large job's work in a second of one task
		return []float64{
			hard.Sojourn().Seconds() / soft.Sojourn().Seconds(), work * hard.Preempted.LostS,
			work * soft.Preempted.LostS,
		}
	})
	s.Row("stream: large job, kill over eager", got[0])
	s.Row("stream: work killed, of the large job's", got[1])
	s.Row("stream: work lost by suspending, of the large job's", got[2])

	// Each of ever smaller jobs suspends tasks of the one before, with and without thresholds on
	// the number of suspended tasks.
	w = workload.Workload{Name: "decreasing"}
	for i := range 8 {
		w.Jobs = append(w.Jobs, reduceJob(i, time.Duration(10*i)*time.Second, 8,
			time.Duration(400-50*i)*time.Second))
	}
	const high, low = 12, 4
	got = s.Seeds(s.Repeats(2, 10), func(seed uint64) []float64 {
		free, bounded := runHFSP(s, seed, &w, eager), runHFSP(s, seed, &w,
			func(h *scheduling.HFSPPolicy) { h.SuspendHigh, h.SuspendLow = high, low })
		return []float64{free.most, bounded.most, bounded.Report.Sojourn.Mean / free.Report.Sojourn.Mean}
	})
	s.Row("decreasing sizes, no thresholds: most tasks suspended at a time", got[0])
	s.Row("decreasing sizes, thresholds: most tasks suspended at a time", got[1])
	s.Row("decreasing sizes: mean sojourn with thresholds over without", got[2])

	// Waiting for larger jobs' tasks, compared with suspending them: long tasks, then short.
	over := func(part time.Duration) study.Sample {
		w := workload.Workload{Name: "lengths"}
		for i, reduces := range []int{11, 2, 1, 1, 1} {
			at, length := 10*time.Second, 400*time.Second
			if i == 0 {
				at, length = 0, 500*time.Second
			}
			w.Jobs = append(w.Jobs, reduceJob(i, at/part, reduces, length/part))
		}
		return s.Seeds(s.Repeats(2, 10), func(seed uint64) []float64 {
			hard, soft := runHFSP(s, seed, &w, waits), runHFSP(s, seed, &w, eager)
			return []float64{hard.Report.Sojourn.Mean / soft.Report.Sojourn.Mean}
		})[0]
	}
	s.Row("long tasks: mean sojourn, wait over eager", over(1))
	s.Row("short tasks: mean sojourn, wait over eager", over(50))
}
