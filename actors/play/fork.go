package play

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Fork names a wait that a second run omits: at At, Job let a slot of Node (-1: any node) pass.
type Fork struct {
	At   time.Duration       `json:"at"`
	Job  scheduling.JobID    `json:"job"`
	Kind scheduling.TaskKind `json:"kind"` // 0: maps, 1: reduces
	Node scheduling.NodeID   `json:"node"`
}

// Branch compares a run, index 0, with a second one, index 1, that omits one wait. Times of jobs
// are from submission to end.
type Branch struct {
	Fork     Fork             `json:"fork"`               // the wait whose slot the second run uses
	NodeName string           `json:"node_name"`          // the node of Fork
	Waited   time.Duration    `json:"waited"`             // from then to the job's next launch of the kind; 0: none came
	Job      [2]time.Duration `json:"job"`                // of the job that waited; 0: it has not ended
	Mean     [2]float64       `json:"mean"`               // of all jobs that ended in both, in seconds
	Others   int              `json:"others"`             // other jobs whose time changed
	Error    *float64         `json:"error,omitempty"`    // of a recorded run: relative error of its simulated mean sojourn time
	Warnings []string         `json:"warnings,omitempty"` // of a recorded run
}

// errNoWait means that the job and kind of a Fork have no wait in the simulated run.
var errNoWait = errors.New("in the simulation of this run, the job lets no slot of this kind pass")

// fork answers a request "fork": it simulates the set-up, or the recorded run in Text, with and
// without the wait. The sink gets events of the run with it as side 0, the others as side 1.
func fork(r *Request, a *Answer, sink Sink) error {
	if r.Fork == nil {
		return errors.New("fork needs a decision")
	}
	b := &Branch{}
	run := func(f *scheduling.Fork, events func(event.Event)) error {
		res, err := r.Setup.run(f, events)
		if err == nil {
			a.Report, a.Stats = &res.Report, &res.Stats
		}
		return err
	}
	if r.Text != "" {
		rec, err := recording(r.Text, true)
		if err != nil {
			return err
		}
		b.Warnings = rec.Warnings
		run = func(f *scheduling.Fork, events func(event.Event)) error {
			got, err := rec.Run(context.Background(), rec.Policy, f, events)
			if err == nil && f == nil && got.Recorded.Sojourn.Mean > 0 {
				off := got.Again.Sojourn.Mean/got.Recorded.Sojourn.Mean - 1
				b.Error = &off
			}
			return err
		}
	}
	with, without := spans{of: map[string]int{}}, spans{of: map[string]int{}}
	w := refusalSearch{asked: *r.Fork}
	side := func(n int, see func(*event.Event)) func(event.Event) {
		pass := tell(sink, n)
		return func(e event.Event) {
			see(&e)
			if pass != nil {
				pass(e)
			}
		}
	}
	if err := run(nil, side(0, func(e *event.Event) { with.add(e); w.add(e) })); err != nil {
		return err
	}
	if !w.isFound {
		return errNoWait
	}
	b.Fork, b.NodeName, b.Waited = w.nearest, w.nodeName, w.waited
	f := scheduling.Fork(w.nearest)
	if err := run(&f, side(1, without.add)); err != nil {
		return fmt.Errorf("without the wait: %w", err)
	}
	b.compare(&with, &without)
	a.Branch = b
	return nil
}

// compare sets Mean, Job and Others from the jobs that ended in both runs.
func (b *Branch) compare(with, without *spans) {
	other := map[spanKey]time.Duration{}
	for _, j := range without.list {
		other[j.key] = j.duration
	}
	n := 0.0
	for _, j := range with.list {
		was, is := j.duration, other[j.key]
		if was == 0 || is == 0 {
			continue
		}
		n++
		b.Mean[0] += was.Seconds()
		b.Mean[1] += is.Seconds()
		switch {
		case j.id == b.Fork.Job:
			b.Job = [2]time.Duration{was, is}
		case was != is:
			b.Others++
		}
	}
	if n > 0 {
		b.Mean[0] /= n
		b.Mean[1] /= n
	}
}

// spans collects the times of a run's jobs from its events, in the order of job IDs.
type spans struct {
	list []span
	of   map[string]int // number of jobs by name
}

// span is a job with its time from submission to end.
type span struct {
	key       spanKey
	id        scheduling.JobID
	submitted time.Duration
	duration  time.Duration // 0: it has not ended
}

// spanKey identifies a job in both runs: by its name and the number of earlier jobs of that name.
// The runs may give different IDs to jobs that depend on others.
type spanKey struct {
	name string
	nth  int
}

// add takes an event of the run: a submission adds a job, and an end sets its duration.
func (s *spans) add(e *event.Event) {
	switch e.Type {
	case event.Submitted:
		s.list = append(s.list, span{key: spanKey{e.Name, s.of[e.Name]}, id: e.JobID, submitted: e.At})
		s.of[e.Name]++
	case event.Finished:
		j := &s.list[e.JobID-1]
		j.duration = e.At - j.submitted
	default:
	}
}

// refusalSearch finds the refusal of a slot, in a run's events, that is nearest in time to asked.
// It has the same job and kind of task. asked itself may not occur, because a simulation differs
// from the recorded run. Of two refusals equally far in time, the one on the same node is nearer.
type refusalSearch struct {
	asked    Fork   // the refusal asked about
	nearest  Fork   // the nearest refusal so far, if isFound
	nodeName string // of the nearest refusal's node
	isFound  bool
	waits    bool          // the job has launched no task of the kind since the nearest refusal
	waited   time.Duration // from the nearest refusal to the job's next launch
}

func (w *refusalSearch) add(e *event.Event) {
	switch {
	case e.Type == event.Launched && e.Attempt.Task.Job == w.asked.Job && e.Attempt.Task.Kind == w.asked.Kind:
		if w.waits {
			w.waits, w.waited = false, e.At-w.nearest.At
		}
	case e.Type != event.Skipped || e.JobID != w.asked.Job || e.Kind != w.asked.Kind || e.Node < 0 || !e.Reason.Cause.Waits():
	case !w.isFound || w.isNearer(e):
		w.nearest = Fork{e.At, e.JobID, e.Kind, e.Node}
		w.nodeName, w.isFound, w.waits, w.waited = e.NodeName, true, true, 0
	}
}

// isNearer reports whether the refusal e is nearer to asked than the nearest one so far.
func (w *refusalSearch) isNearer(e *event.Event) bool {
	newDistance, oldDistance := (e.At - w.asked.At).Abs(), (w.nearest.At - w.asked.At).Abs()
	return newDistance < oldDistance || newDistance == oldDistance && e.Node == w.asked.Node && w.nearest.Node != w.asked.Node
}
