package engine

import (
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// step is an event that may happen in a small world: its kind, its machine, its attempt or job.
type step struct {
	what stepKind
	node int8
	item int8
}

type stepKind uint8

const (
	stepSubmit    stepKind = iota // the next job comes
	stepBeat                      // a heartbeat with all attempts, and its answer
	stepPoke                      // a heartbeat with the attempts that have ended, and its answer
	stepMute                      // a heartbeat whose answer is lost
	stepDouble                    // a heartbeat is delivered; a copy of it stays in flight
	stepLate                      // the copy arrives
	stepWork                      // an attempt is half done
	stepSucceed                   // an attempt ends: success
	stepFail                      // an attempt ends: the function of the job failed
	stepBlameless                 // an attempt ends: the node is to blame
	stepStop                      // an attempt ends: it stopped by itself
	stepCommit                    // an attempt asks to commit
	stepLost                      // a reduce reports that a map's output is lost
	stepUnfetched                 // a reduce cannot fetch a map's output
	stepCrash                     // a machine dies
	stepBack                      // a dead machine returns with a new incarnation
	stepLeave                     // the Core expires a machine
	stepKill                      // a job is killed
	stepCordon                    // a machine is cordoned or uncordoned
	stepPreempt                   // a round of preemption
	stepTick                      // time passes
)

var stepNames = [...]string{
	"job %d is submitted", "%s sends a heartbeat", "%s tells what has ended", "%s sends a heartbeat, the answer is lost",
	"%s sends a heartbeat, a copy stays under way", "the copy of %s's heartbeat arrives", "on %s attempt %d is half done",
	"on %s attempt %d succeeds", "on %s attempt %d fails", "on %s attempt %d fails blamelessly", "on %s attempt %d stops of itself",
	"on %s attempt %d asks to commit", "on %s attempt %d misses a map's output",
	"on %s attempt %d cannot fetch a map's output", "%s dies", "%s is back", "the Core gives %s up", "job %d is killed",
	"%s is cordoned, or no longer", "preemption round", "time passes",
}

// isFault reports whether a step is a fault. The other steps occur in every cluster.
func (k stepKind) isFault() bool {
	switch k {
	case stepSubmit, stepBeat, stepPoke, stepLate, stepWork, stepSucceed, stepCommit, stepBack, stepTick:
		return false
	default:
		return true
	}
}

// tell returns a line for the printed path about the step, which is not taken yet.
func (w *world) tell(s step) string {
	format := stepNames[s.what]
	switch s.what {
	case stepSubmit, stepKill:
		return fmt.Sprintf(format, s.item+1)
	case stepPreempt, stepTick:
		return format
	default:
	}
	name := w.spec.nodes[s.node].Name
	if s.what >= stepWork && s.what <= stepUnfetched {
		held := ""
		if m := &w.machines[s.node]; s.item < m.n {
			held = " (" + m.held[s.item].id.String() + ")"
		}
		return fmt.Sprintf(format, name, s.item) + held
	}
	return fmt.Sprintf(format, name)
}

// may reports whether step s can happen in the present state of w.
func (w *world) may(s step) bool {
	switch s.what {
	case stepSubmit:
		return int(w.submitted) < len(w.spec.jobs) && s.item == w.submitted
	case stepKill:
		return w.left.kill > 0 && s.item < w.submitted && !w.c.Job(model.JobID(s.item+1)).State.Ended()
	case stepPreempt:
		return w.left.preempt > 0
	case stepTick:
		return w.left.tick > 0
	default:
	}
	m := &w.machines[s.node]
	switch s.what {
	case stepBack:
		return !m.up
	case stepLate:
		return m.late.used
	case stepLeave:
		return w.left.leave > 0 && w.c.Nodes[s.node].Live
	case stepCordon:
		return w.left.cordon > 0
	default:
	}
	if !m.up {
		return false
	}
	switch s.what {
	case stepBeat:
		return true
	case stepPoke:
		return !m.sent.used && w.ended(m) && m.n > 1 // with all attempts it would be a stepBeat
	case stepMute:
		return w.left.mute > 0
	case stepDouble:
		return w.left.double > 0 && !m.late.used
	case stepCrash:
		return w.left.crash > 0
	default:
	}
	return s.item < m.n && w.mayHappen(&m.held[s.item], s.what)
}

// mayHappen reports whether a step can happen to attempt a in the present state of w.
func (w *world) mayHappen(a *onMachine, what stepKind) bool {
	if a.state != heldRuns {
		return false
	}
	switch what {
	case stepWork:
		return !a.half && w.spec.policy.NeedsProgress(a.id.Task.Kind)
	case stepSucceed:
		return a.granted || !w.commits(a.id.Task)
	case stepFail:
		return w.left.fail > 0
	case stepBlameless:
		return w.left.blameless > 0
	case stepStop:
		return w.left.stop > 0
	case stepCommit:
		return !a.granted && w.commits(a.id.Task)
	case stepLost:
		return w.left.lostOutput > 0 && a.lost == 0 && a.id.Task.Kind == model.Reduce && w.missing(a) >= 0
	case stepUnfetched:
		return w.left.unfetched > 0 && a.lost == 0 && a.id.Task.Kind == model.Reduce && w.missing(a) >= 0
	default:
		return false
	}
}

func (w *world) ended(m *machine) bool {
	for h := range m.held[:m.n] {
		if m.held[h].state >= heldSucceeded || m.held[h].lost > 0 {
			return true
		}
	}
	return false
}

// missing returns the first done map of a's job, whose output reduce a may miss, or -1.
func (w *world) missing(a *onMachine) int32 {
	j := w.c.Job(a.id.Task.Job)
	for i := range j.Work[model.Map].Tasks {
		if j.Work[model.Map].Tasks[i].State == core.TaskDone {
			return int32(i)
		}
	}
	return -1
}

// steps appends to list all steps that may happen in the present state of w.
func (w *world) steps(list []step) []step {
	add := func(s step) {
		if w.may(s) {
			list = append(list, s)
		}
	}
	add(step{what: stepSubmit, item: w.submitted})
	for i := range w.submitted {
		add(step{what: stepKill, item: i})
	}
	add(step{what: stepPreempt})
	add(step{what: stepTick})
	for i := range w.spec.nodes {
		for k := stepBeat; k <= stepLate; k++ {
			add(step{what: k, node: int8(i)})
		}
		for h := range w.machines[i].n {
			for k := stepWork; k <= stepUnfetched; k++ {
				add(step{k, int8(i), h})
			}
		}
		add(step{what: stepCrash, node: int8(i)})
		add(step{what: stepBack, node: int8(i)})
		add(step{what: stepLeave, node: int8(i)})
		add(step{what: stepCordon, node: int8(i)})
	}
	return list
}

// take performs a step that may happen, and returns an error if that breaks a rule.
func (w *world) take(s step) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	i, m := int(s.node), &w.machines[s.node]
	switch s.what {
	case stepSubmit:
		w.submitted++
		w.placed[s.item] = placing{w.now, model.NodeLocal}
		if _, err := w.c.Submit(w.now, w.spec.jobs[s.item]); err != nil {
			w.breaks("a job is refused: %v", err)
		}
	case stepBeat, stepPoke:
		answer := w.deliver(i, w.write(i, s.what == stepBeat))
		w.answered(i, answer)
	case stepMute:
		w.left.mute--
		w.deliver(i, w.write(i, true))
	case stepDouble:
		w.left.double--
		l := w.write(i, true)
		m.late = *l
		w.answered(i, w.deliver(i, l))
	case stepLate:
		l := m.late
		m.late = letter{}
		w.deliver(i, &l) // the Core has answered this heartbeat, or it is of a former incarnation
	case stepCrash:
		w.left.crash--
		*m = machine{life: m.life, late: m.late}
	case stepBack:
		w.join(i)
	case stepLeave:
		w.left.leave--
		w.c.Leave(w.now, model.NodeID(i))
	case stepKill:
		w.left.kill--
		w.killed[s.item] = true
		w.c.Kill(w.now, model.JobID(s.item+1))
	case stepCordon:
		w.left.cordon--
		w.cordoned[i] = !w.cordoned[i]
		w.c.Cordon(w.now, model.NodeID(i), w.cordoned[i])
	case stepPreempt:
		w.left.preempt--
		w.c.Preempt(w.now)
	case stepTick:
		w.left.tick--
		w.pass()
	default:
		w.happens(&m.held[s.item], s.what)
	}
	w.check()
	return w.broken
}

// pass lets a quantum of time pass and performs the JobTracker's periodic work.
func (w *world) pass() {
	w.now += quantum
	if _, err := w.c.Expire(w.now); err != nil {
		w.breaks("expire: %v", err)
	}
	if err := w.c.Update(w.now); err != nil {
		w.breaks("update: %v", err)
	}
	for _, n := range w.c.Nodes {
		if n.Live && w.now-n.Seen >= worldExpiry {
			w.breaks("%s has been silent for %v and is not lost", n.Name, w.now-n.Seen)
		}
	}
}

// happens applies the step `what` to a running attempt on its machine.
func (w *world) happens(a *onMachine, what stepKind) {
	switch what {
	case stepWork:
		a.half = true
	case stepSucceed:
		a.state = heldSucceeded
	case stepFail:
		w.left.fail--
		a.state = heldFailed
		w.facts(a.id.Task).failed++
	case stepBlameless:
		w.left.blameless--
		a.state = heldBlameless
	case stepStop:
		w.left.stop--
		a.state = heldStopped
	case stepCommit:
		w.commit(a)
	case stepLost:
		w.left.lostOutput--
		w.miss(a, false)
	case stepUnfetched:
		w.left.unfetched--
		w.miss(a, true)
	default:
	}
}

// miss lets reduce a lose the output of a map or, if `cut` is set, not reach it.
func (w *world) miss(a *onMachine, cut bool) {
	m := w.missing(a)
	a.lost, a.lostTry, a.cut = int8(m)+1, w.c.Job(a.id.Task.Job).Work[model.Map].Tasks[m].Won, cut
}

// commit asks the Core whether an attempt may commit. An attempt that may not ends.
func (w *world) commit(a *onMachine) {
	if !w.c.MayCommit(a.id) {
		a.state = heldStopped
		return
	}
	f := w.facts(a.id.Task)
	a.granted = true
	if f.done > 0 {
		w.breaks("%v may commit, another attempt has", a.id)
	}
	if other := int32(f.granted) - 1; other >= 0 && other != a.id.Try && w.isLive(model.AttemptID{Task: a.id.Task, Try: other}) {
		w.breaks("%v may commit, as may try %d, which is alive", a.id, other)
	}
	f.granted = int8(a.id.Try) + 1
}

// isLive reports whether the Core considers an attempt live.
func (w *world) isLive(id model.AttemptID) bool {
	for _, n := range w.c.Nodes {
		for _, ai := range n.Atts {
			if w.c.Attempts[ai].ID == id {
				return true
			}
		}
	}
	return false
}
