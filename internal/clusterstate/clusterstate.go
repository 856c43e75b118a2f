// Package clusterstate reduces the events of a cluster to its current state: what happened to each
// job, which attempts run, and which events still hold, as no later one replaces them. The page
// does the same in JavaScript (actors/page/assets/state.mjs).
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

// Change has the fields of an event that change a State.
type Change struct {
	Type    event.Type
	At      time.Duration
	Job     scheduling.JobID // 0 if the event is not about a job
	Attempt scheduling.AttemptID
	Kind    scheduling.TaskKind
	Node    scheduling.NodeID
	Pool    string
	Text    string // name of a submitted job, or state of a finished one
	Near    Place  // of a launched map
	Cause   event.Cause
}

// Place is the distance of a map's node from its data.
type Place int

// The places of maps.
const (
	NodeLocal Place = iota
	RackLocal
	Elsewhere
	WithoutData // the map's input is on no node
	Places      // number of places
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

// Of returns the fields of e that change a State.
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

// State is the state of a cluster after some events. T is the caller's form of an event: State
// keeps one for each event that no later one replaces. Its size is proportional to the number of
// nodes, pools and jobs. It is not safe for concurrent use.
type State[T any] struct {
	Near [Places]int64 // launched maps of all jobs
	jobs map[scheduling.JobID]*Job[T]
	latest[T]
}

// Job counts what has happened to one job of a State.
type Job[T any] struct {
	ID                     scheduling.JobID
	Name, Pool, State      string        // State is "" until the job is submitted
	Submitted, First, Last time.Duration // times; First is that of the first launch, or negative, Last that of the last event
	Launched, Done         [2]int64      // attempts and tasks, by kind
	Near                   [Places]int64 // maps launched, by distance from their data
	Failed, Killed         int64         // attempts
	Suspended              int64         // number of suspensions
	Skips                  map[event.Cause]int
	running                map[scheduling.AttemptID]*running[T]
	latest[T]
}

// running is an attempt that has not ended: one that runs or is suspended.
type running[T any] struct {
	near  Place
	holds []T // the caller's values for its launch and its last suspend or resume event
}

// latest has the last event for each key: those about one job, or those about no job.
type latest[T any] map[key]T

// key identifies the events that replace each other. An event replaces the one with the same key
// about the same job, or the one about no job.
type key struct {
	kind event.Type
	of   scheduling.TaskKind
	node scheduling.NodeID
	pool string
}

// New returns the state of a cluster about which no event has been added.
func New[T any]() *State[T] {
	return &State[T]{jobs: map[scheduling.JobID]*Job[T]{}, latest: latest[T]{}}
}

// Jobs returns the jobs in order of ID.
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

// Has reports whether any event about the job has been added.
func (s *State[T]) Has(id scheduling.JobID) bool { return s.jobs[id] != nil }

// Holding returns what Add was given with the events that still hold, in no particular order.
func (s *State[T]) Holding() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, x := range s.latest {
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
	for _, x := range j.latest {
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

// Running returns how many of the job's maps run or are suspended, by their distance from the data.
func (j *Job[T]) Running() (n [Places]int64) {
	for id, a := range j.running {
		if id.Task.Kind == scheduling.Map {
			n[a.near]++
		}
	}
	return n
}

// Add applies event c. The state keeps x, the caller's value for c, while c still holds.
func (s *State[T]) Add(c *Change, x T) {
	if c.Job == 0 {
		s.latest.add(c, x)
		return
	}
	j := s.jobs[c.Job]
	if j == nil {
		j = &Job[T]{
			ID: c.Job, First: -1, Submitted: c.At, Skips: map[event.Cause]int{},
			running: map[scheduling.AttemptID]*running[T]{}, latest: latest[T]{},
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
		j.suspendOrResume(c, x)
		return
	case event.Succeeded, event.Failed, event.Killed:
		j.end(c)
		return
	case event.OutputLost:
		j.Done[c.Kind]--
		return
	default:
	}
	j.latest.add(c, x)
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
	delete(j.latest, key{kind: event.Skipped, of: c.Kind}) // a task of that kind waits no longer
}

// suspendOrResume counts a suspend, and replaces the attempt's last suspend or resume event by x.
func (j *Job[T]) suspendOrResume(c *Change, x T) {
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

// add stores x in place of the value of the last event with the same key.
func (a latest[T]) add(c *Change, x T) {
	k := key{kind: c.Type}
	switch c.Type {
	case event.Progress, event.Victim, event.Warning:
		return // these events do not hold
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
	default: // by kind only
	}
	a[k] = x
}
