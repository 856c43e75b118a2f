package engine

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// step is an event that may happen in a small world: its kind, its machine, its attempt or job.
type step struct {
	what stepKind
	node int
	item int
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
	stepCordon                    // a machine is cordoned or uncordoned
	stepKill                      // a job is killed
	stepPriority                  // a job gets the highest priority
	stepSwitch                    // another preset becomes the policy
	stepPreempt                   // a round of preemption
	stepTick                      // time passes
)

var stepNames = [...]string{
	"job %d is submitted", "%s sends a heartbeat", "%s tells what has ended", "%s sends a heartbeat, the answer is lost",
	"%s sends a heartbeat, a copy stays under way", "the copy of %s's heartbeat arrives", "on %s %v is half done",
	"on %s %v succeeds", "on %s %v fails", "on %s %v fails blamelessly", "on %s %v stops of itself",
	"on %s %v asks to commit", "on %s %v misses a map's output",
	"on %s %v cannot fetch a map's output", "%s dies", "%s is back", "the Core gives %s up",
	"%s is cordoned, or no longer", "job %d is killed", "job %d is urgent", "preset %d", "preemption round", "time passes",
}

// often is the number of steps that are neither faults nor time that passes.
const often = 1 << 30

// mostSteps has, for each kind of step, how often it may happen in a world.
var mostSteps = [stepTick + 1]int{
	stepSubmit: often, stepBeat: often, stepPoke: often, stepMute: 1, stepDouble: 1, stepLate: often, stepWork: often, stepSucceed: often,
	stepFail: 2, stepBlameless: 1, stepStop: 1, stepCommit: often, stepLost: 1, stepUnfetched: 1,
	stepCrash: 1, stepBack: often, stepLeave: 1, stepCordon: 2, stepKill: 1, stepPriority: 1, stepSwitch: 2,
	stepPreempt: 1, stepTick: 3,
}

// isFault reports whether a step is a fault. The other steps occur in every cluster.
func (k stepKind) isFault() bool { return mostSteps[k] < often && k != stepTick }

// tell returns a line for the log about the step, which is not taken yet.
func (w *world) tell(s step) string {
	format := stepNames[s.what]
	switch {
	case s.what == stepSubmit || s.what >= stepKill && s.what <= stepSwitch:
		return fmt.Sprintf(format, s.item+1)
	case s.what >= stepPreempt:
		return format
	case s.what >= stepWork && s.what <= stepUnfetched:
		return fmt.Sprintf(format, w.spec.nodes[s.node].Name, w.machines[s.node].held[s.item].id)
	}
	return fmt.Sprintf(format, w.spec.nodes[s.node].Name)
}

// may reports whether step s can happen in the present state of w.
func (w *world) may(s step) bool {
	m := &w.machines[s.node]
	switch s.what {
	case stepSubmit:
		return len(w.jobs) < len(w.spec.jobs)
	case stepKill, stepPriority:
		return !w.c.Job(model.JobID(s.item + 1)).State.Ended()
	case stepPreempt:
		return w.c.Policy.Preemption.Mode == model.PreemptOn || w.c.Policy.Order == "quincy"
	case stepTick, stepCordon, stepSwitch:
		return true
	case stepBack:
		return !m.up
	case stepLate:
		return m.late != nil
	case stepLeave:
		return w.c.Nodes[s.node].Live
	case stepBeat, stepMute, stepCrash:
		return m.up
	case stepPoke:
		return m.up && m.sent == nil && len(m.held) > 1 && slices.ContainsFunc(m.held, func(a onMachine) bool { return a.state >= heldSucceeded || a.lost != nil })
	case stepDouble:
		return m.up && m.late == nil
	default:
	}
	a := &m.held[s.item]
	if a.state != heldRuns {
		return false
	}
	switch s.what {
	case stepWork:
		return !a.half && w.c.Policy.NeedsProgress(a.id.Task.Kind)
	case stepSucceed:
		return a.granted || !w.commits(a.id.Task)
	case stepCommit:
		return !a.granted && w.commits(a.id.Task)
	case stepLost, stepUnfetched:
		return a.lost == nil && a.id.Task.Kind == model.Reduce && w.missing(a) >= 0
	default:
		return true
	}
}

// missing returns the first done map of a's job, whose output reduce a may miss, or -1.
func (w *world) missing(a *onMachine) int {
	return slices.IndexFunc(w.c.Job(a.id.Task.Job).Work[model.Map].Tasks, func(t core.Task) bool { return t.State == core.TaskDone })
}

// steps returns all steps that may happen in the present state of w: faults, or others.
func (w *world) steps(faults bool) (list []step) {
	add := func(s step) {
		if s.what.isFault() == faults && w.left[s.what] > 0 && w.may(s) {
			list = append(list, s)
		}
	}
	add(step{what: stepSubmit})
	for i := range w.jobs {
		add(step{what: stepKill, item: i})
		add(step{what: stepPriority, item: i})
	}
	for i := range Presets() {
		add(step{what: stepSwitch, item: i})
	}
	add(step{what: stepPreempt})
	add(step{what: stepTick})
	for i := range w.spec.nodes {
		for k := stepBeat; k <= stepLate; k++ {
			add(step{what: k, node: i})
		}
		for h := range w.machines[i].held {
			for k := stepWork; k <= stepUnfetched; k++ {
				add(step{k, i, h})
			}
		}
		for k := stepCrash; k <= stepCordon; k++ {
			add(step{what: k, node: i})
		}
	}
	return list
}

// take performs a step that may happen, and checks the rules.
func (w *world) take(s step) {
	w.t.Logf("%s", w.tell(s))
	w.left[s.what]--
	i, m := s.node, &w.machines[s.node]
	switch s.what {
	case stepSubmit:
		w.jobs = append(w.jobs, jobFacts{placedAt: w.now})
		submitAt(w.t, w.c, w.now, w.spec.jobs[len(w.jobs)-1])
	case stepBeat, stepPoke:
		w.answered(i, w.deliver(i, w.write(i, s.what == stepBeat)))
	case stepMute:
		w.deliver(i, w.write(i, true))
	case stepDouble:
		m.late = w.write(i, true)
		w.answered(i, w.deliver(i, m.late))
	case stepLate:
		l := m.late
		m.late = nil
		w.deliver(i, l) // the Core has answered this heartbeat, or it is of a former incarnation
	case stepCrash:
		*m = machine{cordoned: m.cordoned, life: m.life, late: m.late}
	case stepBack:
		w.join(i)
	case stepLeave:
		require.NoError(w.t, w.c.Leave(w.now, model.NodeID(i)))
	case stepKill:
		w.jobs[s.item].killed = true
		require.NoError(w.t, w.c.Kill(w.now, model.JobID(s.item+1)))
	case stepPriority:
		require.NoError(w.t, w.c.SetPriority(w.now, model.JobID(s.item+1), model.VeryHigh))
	case stepSwitch:
		w.switched = true
		require.NoError(w.t, w.c.Reconfigure(w.now, policyOf(w.t, Presets()[s.item], nil)))
	case stepCordon:
		w.cordon(i, !m.cordoned)
	case stepPreempt:
		_, err := w.c.Preempt(w.now)
		require.NoError(w.t, err)
	case stepTick:
		w.pass()
	default:
		w.happens(&m.held[s.item], s.what)
	}
	w.check()
}

func (w *world) cordon(i int, to bool) {
	w.machines[i].cordoned = to
	require.NoError(w.t, w.c.Cordon(w.now, model.NodeID(i), to))
}

// pass lets a quantum of time pass and performs the JobTracker's periodic work.
func (w *world) pass() {
	w.now += quantum
	_, err := w.c.Expire(w.now)
	require.NoError(w.t, err)
	require.NoError(w.t, w.c.Update(w.now))
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
		a.state = heldFailed
		w.facts(a.id.Task).failed++
	case stepBlameless:
		a.state = heldBlameless
	case stepStop:
		a.state = heldStopped
	case stepCommit:
		w.commit(a)
	case stepLost, stepUnfetched: // the output is lost, or the reduce cannot reach it
		m := w.missing(a)
		try := w.c.Job(a.id.Task.Job).Work[model.Map].Tasks[m].Won
		a.lost = []model.LostOutput{{Map: int32(m), Try: try, Unreachable: what == stepUnfetched}}
	default:
	}
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
	other := model.AttemptID{Task: a.id.Task, Try: int32(f.granted) - 1}
	if _, lives := w.c.View().Attempt(other); other.Try >= 0 && other != a.id && lives {
		w.breaks("%v may commit, as may try %d, which is alive", a.id, other.Try)
	}
	f.granted = int(a.id.Try) + 1
}
