package simulator

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Recorded holds the recorded times of a job's tasks, which simulated attempts take. Far, Ahead and
// Hop correct the time of an attempt that runs at another place or time than the recorded one.
type Recorded struct {
	// Tasks are the job's maps and reduces, as many as in the workload.
	Tasks [2][]RecordedTask
	// Far is the relative duration of a map that is node-local, rack-local and off-rack; each above
	// 0.
	Far [3]float64
	// Ahead is how much of its time a reduce can spend before the last map has ended, on set-up and
	// fetching. A reduce that had less time takes longer by the difference.
	Ahead time.Duration
	// Hop is the additional time of a reduce, in seconds, per byte of its input and link that the
	// byte crosses: 0 links on its node, 2 in its rack, 4 beyond. The first number is for reduces
	// launched before the last map had ended, the second for the others.
	Hop [2]float64
	// Outputs are the bytes of each map's output by reduce; nil means that the job's ShuffleBytes
	// are spread evenly.
	Outputs [][]int64
	// Ring is the order in which nodes are asked from the job's arrival, each once; nil keeps the
	// former order.
	Ring []int32
}

// RecordedTask is a task with its attempts, by number. An attempt whose Time is 0, or that was not
// recorded, takes Usual.
type RecordedTask struct {
	Usual RecordedTry
	Tries []RecordedTry
}

// RecordedTry is an attempt. Time is the time from its launch to its end (for a reduce, from the
// end of the job's last map if that is later), without the time in which it was suspended.
type RecordedTry struct {
	Time  time.Duration
	Fails bool
	Near  scheduling.Locality // of a map: its locality when it took Time
	Head  time.Duration       // of a reduce: how long it had run when the last map ended
	Waits bool                // of a reduce: had to wait for maps whose outputs were lost
	Hops  int64               // of a reduce: bytes × links of its input
}

// try returns the recorded attempt whose time the attempt takes.
func (r *Recorded) try(id scheduling.AttemptID) RecordedTry {
	t := &r.Tasks[id.Task.Kind][id.Task.Index]
	if int(id.Try) < len(t.Tries) && t.Tries[id.Try].Time > 0 {
		return t.Tries[id.Try]
	}
	return t.Usual
}

// output returns the bytes of a map's output.
func (r *Recorded) output(m int) (sum int64) {
	for _, b := range r.Outputs[m] {
		sum += b
	}
	return sum
}

// mean returns the mean duration of node-local maps, or of reduces launched after the last map.
func (r *Recorded) mean(k scheduling.TaskKind) time.Duration {
	tasks := r.Tasks[k]
	if len(tasks) == 0 {
		return 0
	}
	sum := 0.0
	for i := range tasks {
		u := &tasks[i].Usual
		t := u.Time.Seconds()
		if k == scheduling.Map {
			t *= r.Far[scheduling.NodeLocal] / r.Far[near(u.Near)]
		} else {
			t += r.lackedAhead(0).Seconds() - r.lackedAhead(u.Head).Seconds()
		}
		sum += t
	}
	return seconds(sum / float64(len(tasks)))
}

// lackedAhead returns how much longer a reduce takes after the last map because it had run only for
// head by then, not for Ahead.
func (r *Recorded) lackedAhead(head time.Duration) time.Duration { return max(0, r.Ahead-head) }

// near returns a locality as an index of Recorded.Far: a map without a place counts as node-local
// everywhere.
func near(l scheduling.Locality) scheduling.Locality {
	return min(max(l, scheduling.NodeLocal), scheduling.OffRack)
}

// check returns the first mistake in the record of a job.
func (r *Recorded) check(w *workload.Job) error {
	if len(r.Tasks[0]) != w.Maps || len(r.Tasks[1]) != w.Reduces {
		return fmt.Errorf("%w: %d maps and %d reduces are recorded of job %q, which has %d and %d",
			ErrConfig, len(r.Tasks[0]), len(r.Tasks[1]), w.Name, w.Maps, w.Reduces)
	}
	for _, f := range r.Far {
		if !(f >= 1/maxFactor && f <= maxFactor) {
			return fmt.Errorf("%w: factor %v of distance of job %q", ErrConfig, f, w.Name)
		}
	}
	if r.Outputs != nil && len(r.Outputs) != w.Maps {
		return fmt.Errorf("%w: outputs of %d maps are recorded of job %q, which has %d", ErrConfig, len(r.Outputs), w.Name, w.Maps)
	}
	for _, parts := range r.Outputs {
		if len(parts) != w.Reduces {
			return fmt.Errorf("%w: an output of %d parts is recorded of job %q, which has %d reduces", ErrConfig, len(parts), w.Name, w.Reduces)
		}
	}
	return nil
}

// record sets each job's recorded times from Config.Recorded, and checks them.
func (s *sim) record() error {
	if s.cfg.Recorded == nil {
		return nil
	}
	if s.cfg.Network.Flows {
		return fmt.Errorf("%w: recorded times leave no room for flows", ErrConfig)
	}
	for i := range s.jobs {
		j := &s.jobs[i]
		if j.recorded = s.cfg.Recorded(i); j.recorded == nil {
			continue
		}
		if err := j.recorded.check(j.spec); err != nil {
			return err
		}
	}
	return nil
}

// startRecordedMap starts a map with its recorded time, adjusted for its locality.
func (s *sim) startRecordedMap(a *attempt) {
	r := a.job.recorded
	t := r.try(a.id)
	a.fails = t.Fails
	a.work = t.Time
	if now, then := near(a.locality), near(t.Near); now != then {
		a.work = seconds(t.Time.Seconds() * r.Far[now] / r.Far[then])
	}
	s.work(a, 0)
}

// shuffledRecorded schedules the end of a reduce when all map outputs are available.
func (s *sim) shuffledRecorded(a *attempt) {
	r := a.job.recorded
	t := r.try(a.id)
	in := s.inputs(a.job, a.node.index, int(a.id.Task.Index))
	a.fails = t.Fails
	a.work = t.Time
	head, hop := a.workedBy(s.q.now), r.Hop[1]
	if head > 0 {
		hop = r.Hop[0]
	}
	a.work += r.lackedAhead(head) - r.lackedAhead(t.Head)
	if more := hop * float64(in.Links()-t.Hops); more != 0 && in.All() > 0 {
		a.work += seconds(more)
	}
	a.work = max(a.work, time.Microsecond)
	s.work(a, 0)
}
