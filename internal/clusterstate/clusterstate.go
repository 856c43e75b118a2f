// Package clusterstate reduces the events of a cluster to the state that they lead to: what happened to
// each job so far, which of its attempts run, and which events still hold. The page does the same in
// JavaScript (actors/page/assets/state.mjs).
package clusterstate

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Change is what the state needs of an event.
type Change struct {
	Type    event.Type
	At      time.Duration
	Job     scheduling.JobID // 0 if the event is about none
	Attempt scheduling.AttemptID
	Kind    scheduling.TaskKind
	Node    scheduling.NodeID
	Pool    string
	Text    string // the name of a job that is submitted, the state of one that is finished
	Near    Place  // of a map that is launched
	Cause   event.Cause
}

// Place is how far a map runs from its data.
type Place int

// The places of maps.
const (
	NodeLocal Place = iota
	RackLocal
	Elsewhere
	WithoutData // its data has no location
	Places      // is their number
)

func placeOf(near string) Place {
	switch near {
	case scheduling.NodeLocal.String():
		return NodeLocal
	case scheduling.RackLocal.String():
		return RackLocal
	case scheduling.AnyPlace.String():
		return WithoutData
	default:
		return Elsewhere
	}
}

// Of returns what the state needs of e.
func Of(e *actors.Event) Change {
	c := Change{
		Type: e.Type, At: e.At, Job: cmp.Or(e.Attempt.Task.Job, e.JobID), Attempt: e.Attempt, Kind: e.Kind, Node: e.Node,
		Pool: e.Pool, Text: e.Name, Near: placeOf(e.Near), Cause: e.Reason.Cause,
	}
	if e.Type == event.Finished {
		c.Text = e.State
	}
	if e.Attempt.Task.Job != 0 {
		c.Kind = e.Attempt.Task.Kind
	}
	return c
}

// State is the state after some events. T is what stands for an event that still holds. It is as large
// as nodes, pools and the jobs that it has. It is not safe for concurrent use.
type State[T any] struct {
	Near [Places]int64 // maps launched, of all jobs
	jobs map[scheduling.JobID]*Job[T]
	about[T]
}

// Job is a job of a State.
type Job[T any] struct {
	ID                     scheduling.JobID
	Name, Pool, State      string // State is empty until the job is submitted
	Submitted, First, Last time.Duration
	Launched, Done         [2]int64      // attempts and tasks, by kind; First is negative before any
	Near                   [Places]int64 // maps launched
	Failed, Killed         int64         // attempts
	Suspended              int64         // times
	Skips                  map[event.Cause]int
	running                map[scheduling.AttemptID]*running[T]
	about[T]
}

// running is an attempt that has not ended.
type running[T any] struct {
	near  Place
	holds []T // launched, and the last suspended or resumed
}

// about has the last event of each kind about something.
type about[T any] map[key]T

// key says what an event replaces: of events with one key about the same job, or none, the last is
// worth as much as all.
type key struct {
	kind event.Type
	of   scheduling.TaskKind
	node scheduling.NodeID
	pool string
}

// New returns the state before the first event.
func New[T any]() *State[T] {
	return &State[T]{jobs: map[scheduling.JobID]*Job[T]{}, about: about[T]{}}
}

// Jobs gives the jobs by their IDs.
func (s *State[T]) Jobs() iter.Seq[*Job[T]] {
	return func(yield func(*Job[T]) bool) {
		for _, id := range slices.Sorted(maps.Keys(s.jobs)) {
			if !yield(s.jobs[id]) {
				return
			}
		}
	}
}

// Forget drops a job.
func (s *State[T]) Forget(id scheduling.JobID) { delete(s.jobs, id) }

// Has reports whether the state has a job.
func (s *State[T]) Has(id scheduling.JobID) bool { return s.jobs[id] != nil }

// Holding gives what stands for the events that still hold, in no order.
func (s *State[T]) Holding() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, x := range s.about {
			if !yield(x) {
				return
			}
		}
		for _, j := range s.jobs {
			if !j.holding(yield) {
				return
			}
		}
	}
}

func (j *Job[T]) holding(yield func(T) bool) bool {
	for _, x := range j.about {
		if !yield(x) {
			return false
		}
	}
	for _, a := range j.running {
		for _, x := range a.holds {
			if !yield(x) {
				return false
			}
		}
	}
	return true
}

// Running returns how many maps run, or are suspended, by place.
func (j *Job[T]) Running() (n [Places]int64) {
	for id, a := range j.running {
		if id.Task.Kind == scheduling.Map {
			n[a.near]++
		}
	}
	return n
}

// Add lets the next event happen; x stands for it.
func (s *State[T]) Add(c *Change, x T) {
	if c.Job == 0 {
		s.about.add(c, x)
		return
	}
	j := s.jobs[c.Job]
	if j == nil {
		j = &Job[T]{
			ID: c.Job, First: -1, Submitted: c.At, Skips: map[event.Cause]int{},
			running: map[scheduling.AttemptID]*running[T]{}, about: about[T]{},
		}
		s.jobs[c.Job] = j
	}
	j.Last = c.At
	switch c.Type {
	case event.Submitted:
		j.Name, j.Pool, j.State = c.Text, c.Pool, "running"
	case event.Pool:
		j.Pool = c.Pool
	case event.Skipped:
		j.Skips[c.Cause]++
	case event.Finished:
		j.State = c.Text
	case event.Launched:
		s.launch(j, c, x)
		return
	case event.Suspended, event.Resumed:
		j.turn(c, x)
		return
	case event.Succeeded, event.Failed, event.Killed:
		j.end(c)
		return
	case event.OutputLost:
		j.Done[c.Kind]--
		return
	default:
	}
	j.about.add(c, x)
}

func (s *State[T]) launch(j *Job[T], c *Change, x T) {
	if j.First < 0 {
		j.First = c.At
	}
	j.Launched[c.Kind]++
	if c.Kind == scheduling.Map {
		j.Near[c.Near]++
		s.Near[c.Near]++
	}
	j.running[c.Attempt] = &running[T]{near: c.Near, holds: []T{x}}
	delete(j.about, key{kind: event.Skipped, of: c.Kind}) // it waits no more
}

// turn suspends an attempt, or resumes it.
func (j *Job[T]) turn(c *Change, x T) {
	if c.Type == event.Suspended {
		j.Suspended++
	}
	if a := j.running[c.Attempt]; a != nil {
		a.holds = append(a.holds[:1:1], x)
	}
}

func (j *Job[T]) end(c *Change) {
	switch {
	case c.Type == event.Failed:
		j.Failed++
	case c.Type == event.Killed:
		j.Killed++
	case j.running[c.Attempt] != nil:
		j.Done[c.Kind]++
	}
	delete(j.running, c.Attempt)
}

// add has an event replace the last with its key.
func (a about[T]) add(c *Change, x T) {
	k := key{kind: c.Type}
	switch c.Type {
	case event.Progress, event.Victim, event.Warning:
		return // nothing of them holds
	case event.Skipped:
		k.of = c.Kind
	case event.Shares:
		k.pool = c.Pool
	case event.Need:
		k.pool, k.of = c.Pool, c.Kind
	case event.Joined, event.Lost, event.Cordoned:
		k.node = c.Node
	case event.Avoided, event.Admitted:
		k.kind, k.node = event.Avoided, c.Node
	default: // the kind alone
	}
	a[k] = x
}
