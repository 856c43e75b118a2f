package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// The small world of the explorer has a Core and a few machines, which send it heartbeats as real
// nodes do. It also has the messages in flight and the faults that may still happen. All but the
// Core is one value without pointers, so copying it copies the world.

const (
	maxMachines = 3
	maxHeld     = 6
	maxJobs     = 2
	maxTasks    = 3
	quantum     = time.Second // the step in which time passes
)

// worldSpec describes a small world: policy, nodes and jobs, and how often each fault may happen.
type worldSpec struct {
	name   string
	policy model.Policy
	nodes  []model.Node
	jobs   []model.JobSpec
	faults faults
}

// faults has, for each kind of fault, how often it may still happen.
type faults struct {
	fail, blameless, lostOutput, unfetched, crash, leave, kill, mute, double, cordon, preempt, stop, tick int8
}

const (
	worldAttempts = 2 // a task that fails so often fails its job
	worldExpiry   = 3 * quantum
)

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
	half    bool // half done
	lost    int8 // 1 + number of the map whose output it misses; not yet reported
	lostTry int32
	cut     bool // it could not fetch the output, which may still exist
}

// letter is a heartbeat in flight.
type letter struct {
	used bool
	life uint64
	seq  uint64
	n    int8
	told [maxHeld]onMachine
}

// machine is a node as the Core's caller. It sends one heartbeat at a time, and resends it
// unchanged until it is answered. After the Core has expired it, it joins with a new incarnation.
type machine struct {
	up, registered bool
	life, seq      uint64
	n              int8
	held           [maxHeld]onMachine
	sent           letter // not answered
	late           letter // a copy of a heartbeat, still in flight
}

// taskFacts is what has happened to a task, as the Core's events and the machines show it.
type taskFacts struct {
	done    int8 // successes that count: 0 or 1
	failed  int8 // failures that machines have seen
	granted int8 // 1 + the attempt that was last allowed to commit
}

// environment is everything in a world except its Core; it has no pointers.
type environment struct {
	now       time.Duration
	lives     uint64
	machines  [maxMachines]machine
	left      faults
	submitted int8
	killed    [maxJobs]bool
	opened    [maxJobs]bool // enough maps were done at some time for reduces to start
	cordoned  [maxMachines]bool
	tasks     [maxJobs][model.Kinds][maxTasks]taskFacts
	missed    [maxHeld]model.LostOutput // outputs that the heartbeat in flight reports as lost
	misses    int8
	placed    [maxJobs]placing // of the maps
}

// placing is the time and locality of the last launch of a job's map with a place. At first it is
// the time of submission.
type placing struct {
	at    time.Duration
	level model.Locality
}

// world is a Core with its environment.
type world struct {
	environment
	spec   *worldSpec
	c      *core.Core
	broken error // the first rule that a step broke
	trace  func(format string, args ...any)
}

func newWorld(spec *worldSpec) *world {
	w := &world{spec: spec}
	w.left = spec.faults
	w.c = w.newCore(nil)
	for i := range spec.nodes {
		w.join(i)
	}
	return w
}

// newCore returns a Core for the world, without nodes or jobs.
func (w *world) newCore(record func(*calls.Call)) *core.Core {
	cfg := core.Config{Events: w.event, Calls: record, HeartbeatInterval: quantum, Expiry: worldExpiry, MaxAttempts: worldAttempts}
	c, err := NewCore(cfg, w.spec.policy)
	if err != nil {
		panic(err)
	}
	return c
}

// breaks records a broken rule, unless one is recorded already.
func (w *world) breaks(format string, args ...any) {
	if w.broken == nil {
		w.broken = fmt.Errorf(format, args...)
	}
}

// says adds a line to the printed path, if the path is printed.
func (w *world) says(format string, args ...any) {
	if w.trace != nil {
		w.trace(format, args...)
	}
}

func (w *world) facts(id model.TaskID) *taskFacts { return &w.tasks[id.Job-1][id.Kind][id.Index] }

// commits reports whether attempts of a task must ask to commit before they succeed.
func (w *world) commits(id model.TaskID) bool {
	return id.Kind == model.Reduce || w.spec.jobs[id.Job-1].Reduces == 0
}

// mapsDone returns how many maps of a job are done at present.
func (w *world) mapsDone(id model.JobID) (n int) {
	for _, f := range w.tasks[id-1][model.Map] {
		n += int(f.done)
	}
	return n
}

// event records in w what an event of the Core says, and checks the rules for it.
func (w *world) event(e event.Event) {
	w.says("    %v", e)
	switch e.Type {
	case event.Succeeded:
		f := w.facts(e.Attempt.Task)
		f.done++
		if f.done > 1 {
			w.breaks("%v is done twice", e.Attempt.Task)
		}
		if j := e.JobID; w.mapsDone(j) >= w.c.Job(j).Gate {
			w.opened[j-1] = true
		}
		if w.commits(e.Attempt.Task) && f.granted != int8(e.Attempt.Try)+1 {
			w.breaks("%v is done by an attempt that was not the one granted to commit", e.Attempt.Task)
		}
	case event.OutputLost:
		w.facts(e.Attempt.Task).done--
		if w.commits(e.Attempt.Task) {
			w.breaks("%v was committed and runs again", e.Attempt.Task)
		}
		if w.misses > 0 && !slices.ContainsFunc(w.missed[:w.misses], func(l model.LostOutput) bool { return l.Map == e.Attempt.Task.Index && l.Try == e.Attempt.Try }) {
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
	case w.cordoned[e.Node]:
		w.breaks("%v is launched on the cordoned %s", e.Attempt, e.NodeName)
	case !w.c.Nodes[e.Node].Live:
		w.breaks("%v is launched on the lost %s", e.Attempt, e.NodeName)
	case w.killed[e.JobID-1]:
		w.breaks("%v is launched, of a killed job", e.Attempt)
	case w.facts(id).done > 0:
		w.breaks("%v is launched, its task is done", e.Attempt)
	case id.Kind == model.Reduce:
		if gate := w.c.Job(id.Job).Gate; w.mapsDone(id.Job) < gate && !w.opened[id.Job-1] {
			w.breaks("%v is launched after %d maps, not %d", e.Attempt, w.mapsDone(id.Job), gate)
		}
	case e.Locality >= model.NodeLocal && len(w.spec.jobs[id.Job-1].Places.Nodes) > 0:
		w.waited(e)
	}
}

// waited reports a broken rule if a map launched before the waits that its locality needs were over.
func (w *world) waited(e event.Event) {
	p, last := &w.spec.policy, &w.placed[e.JobID-1]
	if p.Locality.Rule != model.TimedWait || p.Locality.Capped || p.Preemption.Mode == model.PreemptOn {
		return // jobs of a starved pool may launch at once
	}
	least := time.Duration(0)
	for l := last.level; l < e.Locality; l++ {
		least += p.Locality.Waits[l]
	}
	if e.Reason.Cause != model.CauseSlowTask && w.now-last.at < least {
		w.breaks("%v is launched %v after %v, no sooner than after %v", e.Attempt, e.Locality, w.now-last.at, least)
	}
	*last = placing{w.now, e.Locality}
}

// finished reports a broken rule if a job ends in a state that its tasks do not lead to.
func (w *world) finished(e event.Event) {
	j, spec := e.JobID, &w.spec.jobs[e.JobID-1]
	most := int8(0)
	for k, n := range [model.Kinds]int{spec.Maps, spec.Reduces} {
		for i := range n {
			f := w.facts(model.TaskID{Job: j, Kind: model.TaskKind(k), Index: int32(i)})
			most = max(most, f.failed)
			last := model.TaskKind(k) == model.Reduce || spec.Reduces == 0
			if e.State == model.JobSucceeded.String() && last && f.done != 1 {
				w.breaks("%v succeeds without %v", j, model.TaskID{Job: j, Kind: model.TaskKind(k), Index: int32(i)})
			}
		}
	}
	if e.State == model.JobFailed.String() && most < worldAttempts {
		w.breaks("%v fails (%s), no task of it has failed %d times", j, e.Err, worldAttempts)
	}
	if e.State == model.JobKilled.String() && !w.killed[j-1] {
		w.breaks("%v is killed by nobody", j)
	}
}

// join makes machine i join the Core with a new incarnation.
func (w *world) join(i int) {
	m := &w.machines[i]
	w.lives++
	*m = machine{up: true, registered: true, life: w.lives, late: m.late}
	spec := w.spec.nodes[i]
	spec.Incarnation = m.life
	w.c.Join(w.now, spec)
}

// write returns the next heartbeat of machine i, with all its attempts or only those that have
// ended. If a heartbeat is unanswered, it returns that one.
func (w *world) write(i int, all bool) *letter {
	m := &w.machines[i]
	if m.sent.used {
		return &m.sent
	}
	m.seq++
	m.sent = letter{used: true, life: m.life, seq: m.seq}
	kept := int8(0)
	for h := range m.held[:m.n] {
		a := m.held[h]
		if all || a.state >= heldSucceeded || a.lost > 0 {
			m.sent.told[m.sent.n] = a
			m.sent.n++
		}
		if a.state < heldSucceeded {
			a.lost = 0
			m.held[kept] = a
			kept++
		}
	}
	clear(m.held[kept:])
	m.n = kept
	return &m.sent
}

// deliver passes a heartbeat of machine i to the Core and returns the answer.
func (w *world) deliver(i int, l *letter) model.Answer {
	var list [maxHeld]model.Status
	for k := range l.told[:l.n] {
		a := &l.told[k]
		s := model.Status{Attempt: a.id}
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
		if a.lost > 0 {
			w.missed[w.misses] = model.LostOutput{Map: int32(a.lost) - 1, Try: a.lostTry}
			w.misses++
			s.Lost = []model.LostOutput{{Map: int32(a.lost) - 1, Try: a.lostTry, Unreachable: a.cut}}
		}
		list[k] = s
	}
	id, _ := w.c.View().Lookup(w.spec.nodes[i].Name)
	answer, err := w.c.Heartbeat(w.now, model.Heartbeat{Node: id, Incarnation: l.life, Seq: l.seq, Statuses: list[:l.n]})
	w.misses = 0
	if err != nil {
		w.breaks("a heartbeat is refused: %v", err)
	}
	return answer
}

// answered makes machine i do what the Core's answer says.
func (w *world) answered(i int, answer model.Answer) {
	m := &w.machines[i]
	m.sent = letter{}
	if answer.Reregister {
		w.join(i)
		return
	}
	for _, o := range answer.Actions {
		at := -1
		for h := range m.held[:m.n] {
			if m.held[h].id == o.Attempt {
				at = h
			}
		}
		switch {
		case o.Verb == model.Launch && at < 0:
			if int(m.n) == maxHeld {
				w.breaks("%s is given more than it can hold", w.spec.nodes[i].Name)
				return
			}
			m.held[m.n] = onMachine{id: o.Attempt}
			m.n++
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

// agrees reports a broken rule unless machine i, just answered, holds the attempts that the Core expects
// there. An attempt that only the Core knows would never end.
func (w *world) agrees(i int) {
	m, id := &w.machines[i], w.c.Names[w.spec.nodes[i].Name]
	for _, ai := range w.c.Nodes[id].Atts {
		a, found := &w.c.Attempts[ai], false
		for h := range m.held[:m.n] {
			on := &m.held[h]
			found = found || on.id == a.ID && (on.state >= heldSucceeded || (on.state == heldPaused) == a.Suspended)
		}
		if !found {
			w.breaks("the Core waits for %v (suspended: %v) on %s, which does not hold it so", a.ID, a.Suspended, w.spec.nodes[i].Name)
		}
	}
}
