package engine

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// A small world has a Core and a few machines, which send it heartbeats as real nodes do. It also
// has the messages in flight and the faults that may still happen.

const (
	quantum       = time.Second // the step in which time passes
	worldAttempts = 2           // a task that fails so often fails its job
	worldExpiry   = 3 * quantum
)

// worldSpec describes a small world: policy, nodes and jobs.
type worldSpec struct {
	name   string
	policy model.Policy
	nodes  []model.Node
	jobs   []model.JobSpec
}

// heldState is the state of an attempt on its machine, which the Core may not know yet.
type heldState int8

const (
	heldRuns heldState = iota
	heldPaused
	heldSucceeded // from here on: ended, not yet reported
	heldFailed
	heldBlameless
	heldStopped
)

// onMachine is an attempt on a machine.
type onMachine struct {
	id      model.AttemptID
	state   heldState
	granted bool
	half    bool               // half done
	lost    []model.LostOutput // an output that it misses; not yet reported
}

// letter is a heartbeat in flight.
type letter struct {
	life, seq uint64
	told      []onMachine
}

// machine is a node as the Core's caller. It sends one heartbeat at a time, and resends it
// unchanged until it is answered. After the Core has expired it, it joins with a new incarnation.
type machine struct {
	up        bool
	cordoned  bool
	life, seq uint64
	held      []onMachine
	sent      *letter // not answered
	late      *letter // a copy of a heartbeat, still in flight
}

// taskFacts is what has happened to a task, as the Core's events and the machines show it.
type taskFacts struct {
	done    int // successes that count: 0 or 1
	failed  int // failures that machines have seen
	granted int // 1 + the attempt that was last allowed to commit
}

// jobFacts is what has happened to a job: whether it was killed, and whether enough maps were done
// at some time for reduces to start. placedAt and placed are the time and locality of the last
// launch of a map with a place, at first those of the submission.
type jobFacts struct {
	killed, opened bool
	placedAt       time.Duration
	placed         model.Locality
}

// world is a Core with its machines and all that has happened.
type world struct {
	t        *rapid.T
	spec     *worldSpec
	c        *core.Core
	now      time.Duration
	lives    uint64
	machines []machine
	left     [len(mostSteps)]int // how often each kind of step may still happen
	jobs     []jobFacts          // submitted
	switched bool                // to another policy, under which jobs may have waited elsewhere
	tasks    map[model.TaskID]*taskFacts
	missed   []model.LostOutput // outputs that the heartbeat in flight reports as lost
}

func newWorld(t *rapid.T, spec *worldSpec, record func(*calls.Call)) *world {
	w := &world{t: t, spec: spec, left: mostSteps, machines: make([]machine, len(spec.nodes)), tasks: map[model.TaskID]*taskFacts{}}
	w.c = newCore(t, spec, w.event, record)
	for i := range spec.nodes {
		w.join(i)
	}
	return w
}

// newCore returns a Core for the world, without nodes or jobs.
func newCore(t *rapid.T, spec *worldSpec, events func(event.Event), record func(*calls.Call)) *core.Core {
	c, err := NewCore(core.Config{Events: events, Calls: record, HeartbeatInterval: quantum, Expiry: worldExpiry, MaxAttempts: worldAttempts}, spec.policy)
	require.NoError(t, err)
	return c
}

// breaks fails the walk, whose log has all steps and events.
func (w *world) breaks(format string, args ...any) { w.t.Fatalf(format, args...) }

func (w *world) facts(id model.TaskID) *taskFacts {
	f := w.tasks[id]
	if f == nil {
		f = &taskFacts{}
		w.tasks[id] = f
	}
	return f
}

// commits reports whether attempts of a task must ask to commit before they succeed.
func (w *world) commits(id model.TaskID) bool {
	return id.Kind == model.Reduce || w.spec.jobs[id.Job-1].Reduces == 0
}

// mapsDone returns how many maps of a job are done at present.
func (w *world) mapsDone(id model.JobID) (n int) {
	for i := range w.spec.jobs[id-1].Maps {
		n += w.facts(model.TaskID{Job: id, Index: int32(i)}).done
	}
	return n
}

// event records in w what an event of the Core says, and checks the rules for it.
func (w *world) event(e event.Event) {
	w.t.Logf("    %v", e)
	switch e.Type {
	case event.Succeeded:
		f := w.facts(e.Attempt.Task)
		f.done++
		if f.done > 1 {
			w.breaks("%v is done twice", e.Attempt.Task)
		}
		if j := e.JobID; w.mapsDone(j) >= w.c.Job(j).Gate {
			w.jobs[j-1].opened = true
		}
		if w.commits(e.Attempt.Task) && f.granted != int(e.Attempt.Try)+1 {
			w.breaks("%v is done by an attempt that was not the one granted to commit", e.Attempt.Task)
		}
	case event.OutputLost:
		w.facts(e.Attempt.Task).done--
		if w.commits(e.Attempt.Task) {
			w.breaks("%v was committed and runs again", e.Attempt.Task)
		}
		if len(w.missed) > 0 && !slices.ContainsFunc(w.missed, func(l model.LostOutput) bool { return l.Map == e.Attempt.Task.Index && l.Try == e.Attempt.Try }) {
			w.breaks("%v runs again, its output was not the one missed", e.Attempt)
		}
	case event.Launched:
		w.launched(e)
	case event.Finished:
		w.finished(e)
	default:
	}
}

// launched reports a broken rule if an attempt is launched where or when it must not be.
func (w *world) launched(e event.Event) {
	id := e.Attempt.Task
	switch {
	case w.machines[e.Node].cordoned:
		w.breaks("%v is launched on the cordoned %s", e.Attempt, e.NodeName)
	case !w.c.Nodes[e.Node].Live:
		w.breaks("%v is launched on the lost %s", e.Attempt, e.NodeName)
	case w.jobs[e.JobID-1].killed:
		w.breaks("%v is launched, of a killed job", e.Attempt)
	case w.facts(id).done > 0:
		w.breaks("%v is launched, its task is done", e.Attempt)
	case id.Kind == model.Reduce:
		if gate := w.c.Job(id.Job).Gate; w.mapsDone(id.Job) < gate && !w.jobs[id.Job-1].opened {
			w.breaks("%v is launched after %d maps, not %d", e.Attempt, w.mapsDone(id.Job), gate)
		}
	case e.Locality >= model.NodeLocal && len(w.spec.jobs[id.Job-1].Places.Nodes) > 0:
		w.waited(e)
	}
}

// waited reports a broken rule if a map launched before the waits that its locality needs were
// over.
func (w *world) waited(e event.Event) {
	p, j := &w.spec.policy, &w.jobs[e.JobID-1]
	if w.switched || p.Locality.Rule != model.TimedWait || p.Locality.Capped || p.Preemption.Mode == model.PreemptOn {
		return // jobs of a starved pool may launch at once
	}
	least := time.Duration(0)
	for l := j.placed; l < e.Locality; l++ {
		least += p.Locality.Waits[l]
	}
	if e.Reason.Cause != model.CauseSlowTask && w.now-j.placedAt < least {
		w.breaks("%v is launched %v after %v, no sooner than after %v", e.Attempt, e.Locality, w.now-j.placedAt, least)
	}
	j.placedAt, j.placed = w.now, e.Locality
}

// finished reports a broken rule if a job ends in a state that its tasks do not lead to.
func (w *world) finished(e event.Event) {
	j, spec := e.JobID, &w.spec.jobs[e.JobID-1]
	most := 0
	for k, n := range [model.Kinds]int{spec.Maps, spec.Reduces} {
		for i := range n {
			id := model.TaskID{Job: j, Kind: model.TaskKind(k), Index: int32(i)}
			f := w.facts(id)
			most = max(most, f.failed)
			if e.State == model.JobSucceeded.String() && w.commits(id) && f.done != 1 {
				w.breaks("%v succeeds without %v", j, id)
			}
		}
	}
	if e.State == model.JobFailed.String() && most < worldAttempts {
		w.breaks("%v fails (%s), no task of it has failed %d times", j, e.Err, worldAttempts)
	}
	if e.State == model.JobKilled.String() && !w.jobs[j-1].killed {
		w.breaks("%v is killed by nobody", j)
	}
}

// join makes machine i join the Core with a new incarnation.
func (w *world) join(i int) {
	m := &w.machines[i]
	w.lives++
	*m = machine{up: true, cordoned: m.cordoned, life: w.lives, late: m.late}
	spec := w.spec.nodes[i]
	spec.Incarnation = m.life
	_, err := w.c.Join(w.now, spec)
	require.NoError(w.t, err)
}

// write returns the next heartbeat of machine i, with all its attempts or only those that have
// ended. If a heartbeat is unanswered, it returns that one.
func (w *world) write(i int, all bool) *letter {
	m := &w.machines[i]
	if m.sent != nil {
		return m.sent
	}
	m.seq++
	m.sent = &letter{life: m.life, seq: m.seq}
	var kept []onMachine
	for _, a := range m.held {
		if all || a.state >= heldSucceeded || a.lost != nil {
			m.sent.told = append(m.sent.told, a)
		}
		if a.state < heldSucceeded {
			a.lost = nil
			kept = append(kept, a)
		}
	}
	m.held = kept
	return m.sent
}

// deliver passes a heartbeat of machine i to the Core and returns the answer.
func (w *world) deliver(i int, l *letter) model.Answer {
	var list []model.Status
	w.missed = nil
	for _, a := range l.told {
		s := model.Status{Attempt: a.id, Lost: a.lost}
		if a.half {
			s.Progress, s.ReduceProgress = 0.5, 0.5
		}
		switch a.state {
		case heldPaused:
			s.State = model.StateSuspended
		case heldSucceeded:
			s.State, s.Progress = model.StateSucceeded, 1
			if a.id.Task.Kind == model.Map {
				s.OutputBytes = slices.Repeat([]int64{100}, w.spec.jobs[a.id.Task.Job-1].Reduces)
			}
		case heldFailed, heldBlameless:
			s.State, s.Blameless, s.Err = model.StateFailed, a.state == heldBlameless, "broken"
		case heldStopped:
			s.State = model.StateKilled
		case heldRuns:
		}
		w.missed = append(w.missed, a.lost...)
		list = append(list, s)
	}
	answer, err := w.c.Heartbeat(w.now, model.Heartbeat{Node: model.NodeID(i), Incarnation: l.life, Seq: l.seq, Statuses: list})
	w.missed = nil
	require.NoError(w.t, err)
	return answer
}

// answered makes machine i do what the Core's answer says.
func (w *world) answered(i int, answer model.Answer) {
	m := &w.machines[i]
	m.sent = nil
	if answer.Reregister {
		w.join(i)
		return
	}
	for _, o := range answer.Actions {
		at := slices.IndexFunc(m.held, func(a onMachine) bool { return a.id == o.Attempt })
		switch {
		case o.Verb == model.Launch && at < 0:
			m.held = append(m.held, onMachine{id: o.Attempt})
		case at < 0 || m.held[at].state >= heldSucceeded:
		case o.Verb == model.Kill:
			m.held[at].state = heldStopped
		case o.Verb == model.Suspend:
			m.held[at].state = heldPaused
		case o.Verb == model.Resume:
			if m.held[at].state != heldPaused {
				w.breaks("%v resumes and was not suspended", o.Attempt)
			}
			m.held[at].state = heldRuns
		}
	}
	w.agrees(i)
}

// agrees reports a broken rule unless machine i, just answered, holds the attempts that the Core
// expects there. An attempt that only the Core knows would never end.
func (w *world) agrees(i int) {
	for _, ai := range w.c.Nodes[i].Atts {
		a := &w.c.Attempts[ai]
		if !slices.ContainsFunc(w.machines[i].held, func(on onMachine) bool {
			return on.id == a.ID && (on.state >= heldSucceeded || (on.state == heldPaused) == a.Suspended)
		}) {
			w.breaks("the Core waits for %v (suspended: %v) on %s, which does not hold it so", a.ID, a.Suspended, w.spec.nodes[i].Name)
		}
	}
}
