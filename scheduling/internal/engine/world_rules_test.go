package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

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
	return id.Kind == model.Reduce || w.jobs[id.Job-1].Reduces == 0
}

// mapsDone returns how many maps of a job are done at present.
func (w *world) mapsDone(id model.JobID) (n int) {
	for i := range w.jobs[id-1].Maps {
		n += w.facts(model.TaskID{Job: id, Index: int32(i)}).done
	}
	return n
}

// event records in w what an event of the Core says, and checks the rules for it.
func (w *world) event(e event.Event) {
	w.t.Logf("    %v", e)
	id := e.Attempt.Task
	switch e.Type {
	case event.Succeeded:
		f := w.facts(id)
		f.done++
		if f.done > 1 {
			w.breaks("%v is done twice", id)
		}
		if w.mapsDone(e.JobID) >= w.c.Job(e.JobID).Gate {
			w.jobs[e.JobID-1].opened = true
		}
		if w.commits(id) && f.granted != int(e.Attempt.Try)+1 {
			w.breaks("%v is done by an attempt that was not the one granted to commit", id)
		}
	case event.OutputLost:
		w.facts(id).done--
		if w.commits(id) {
			w.breaks("%v was committed and runs again", id)
		}
		if len(w.missed) > 0 && !slices.ContainsFunc(w.missed, func(l model.LostOutput) bool { return l.Map == id.Index && l.Try == e.Attempt.Try }) {
			w.breaks("%v runs again, its output was not the one missed", e.Attempt)
		}
	case event.Launched:
		w.launched(e)
	case event.Finished:
		w.finished(e)
	default:
	}
	if w.hears != nil {
		w.hears(e)
	}
}

// launched reports a broken rule if an attempt is launched where or when it must not be.
func (w *world) launched(e event.Event) {
	id, j := e.Attempt.Task, &w.jobs[e.JobID-1]
	w.facts(id).tries++
	switch {
	case w.machines[e.Node].cordoned:
		w.breaks("%v is launched on the cordoned %s", e.Attempt, e.NodeName)
	case !w.c.Nodes[e.Node].Live:
		w.breaks("%v is launched on the lost %s", e.Attempt, e.NodeName)
	case j.killed:
		w.breaks("%v is launched, of a killed job", e.Attempt)
	case w.facts(id).done > 0:
		w.breaks("%v is launched, its task is done", e.Attempt)
	case id.Kind == model.Reduce:
		if gate := w.c.Job(id.Job).Gate; w.mapsDone(id.Job) < gate && !j.opened {
			w.breaks("%v is launched after %d maps, not %d", e.Attempt, w.mapsDone(id.Job), gate)
		}
	case e.Locality >= model.NodeLocal && w.small && len(j.Places.Nodes) > 0:
		w.waited(e)
	}
}

// waited reports a broken rule if a map launched before the waits that its locality needs were
// over.
func (w *world) waited(e event.Event) {
	p, j := &w.c.Policy, &w.jobs[e.JobID-1]
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
	id, j := e.JobID, &w.jobs[e.JobID-1]
	failed, tries := 0, 0 // of the task that has most
	for k, n := range [model.Kinds]int{j.Maps, j.Reduces} {
		for i := range n {
			task := model.TaskID{Job: id, Kind: model.TaskKind(k), Index: int32(i)}
			f := w.facts(task)
			failed, tries = max(failed, f.failed), max(tries, f.tries)
			if e.State == model.JobSucceeded.String() && w.commits(task) && f.done != 1 {
				w.breaks("%v succeeds without %v", id, task)
			}
		}
	}
	if strings.Contains(e.Err, "could not be fetched") {
		failed = tries
	}
	if e.State == model.JobFailed.String() && failed < w.c.Config.MaxAttempts {
		w.breaks("%v fails (%s), no task of it has failed, or was made, %d times", id, e.Err, w.c.Config.MaxAttempts)
	}
	if e.State == model.JobKilled.String() && !j.killed {
		w.breaks("%v is killed by nobody", id)
	}
}

// agrees reports a broken rule unless machine n, just answered, holds the attempts that the Core
// expects there. An attempt that only the Core knows would never end.
func (w *world) agrees(n model.NodeID) {
	for _, ai := range w.c.Nodes[n].Atts {
		a := &w.c.Attempts[ai]
		if !slices.ContainsFunc(w.machines[n].held, func(on onMachine) bool {
			return on.Attempt == a.ID && (on.ended() || (on.State == model.StateSuspended) == a.Suspended)
		}) {
			w.breaks("the Core waits for %v (suspended: %v) on %s, which does not hold it so", a.ID, a.Suspended, w.machines[n].Name)
		}
	}
}

// check fails the walk unless the invariants hold, and tasks are done and have failed as the events
// and the machines say.
func (w *world) check() {
	checkInvariants(w.t, w.c)
	for i := range w.jobs {
		j := w.c.Job(model.JobID(i + 1))
		if j == nil || j.State.Ended() { // nil: it ended before a restart
			continue
		}
		for k := range model.TaskKind(model.Kinds) {
			for m, t := range j.Work[k].Tasks {
				id := model.TaskID{Job: j.ID, Kind: k, Index: int32(m)}
				if f := w.facts(id); f.done > 0 != (t.State == core.TaskDone) || int(t.Fails) > f.failed {
					w.breaks("%v: state %d after %d successes, %d failures counted of %d", id, t.State, f.done, t.Fails, f.failed)
				}
			}
		}
		if w.small && !w.switched {
			w.checkWaits(j)
		}
	}
}

// checkWaits: a job whose wait has reached the bound of its rule is not passed over.
func (w *world) checkWaits(j *core.Job) {
	switch r := w.c.Placement[model.Map].(type) {
	case *delay.TimedWait:
		x := r.Of.Of(j)
		bound := time.Duration(0)
		for l := x.Level; l < model.OffRack; l++ {
			bound += w.c.Policy.Locality.Waits[l]
		}
		if x.Skipped && x.Wait >= bound {
			w.breaks("a map of %v waits for its data for %v, at most %v are allowed", j.ID, x.Wait, bound)
		}
	case *delay.SkipCount:
		bound := 0
		for _, n := range r.Limits {
			bound += n
		}
		if r.Limits == nil { // each job's own limit, for the largest number of live nodes
			bound = delaymath.Skips(delay.AutoLocality, j.Spec.Maps, len(w.c.Nodes), 1)
		}
		if v, _ := r.View(j); v.Skips > bound {
			w.breaks("%v has refused %d offers for its data, at most %d are allowed", j.ID, v.Skips, bound)
		}
	}
	if r, ok := w.c.Placement[model.Reduce].(*cogrs.Placement); ok {
		if x, bound := r.Of.Of(j), r.Length(0)+r.Length(1); x.Skipped && x.Wait >= bound {
			w.breaks("a reduce of %v waits for its center for %v, at most %v are allowed", j.ID, x.Wait, bound)
		}
	}
}

// equalPools fails unless the pools have the settings that a new Core with the policy has.
func (w *world) equalPools() {
	fresh, err := NewCore(silently(w.cfg), w.c.View().Policy())
	require.NoError(w.t, err)
	now := map[string]model.PoolConfig{}
	for _, p := range w.c.View().Pools() {
		now[p.Name] = p.Config
	}
	for _, p := range fresh.View().Pools() {
		require.Equal(w.t, p.Config, now[p.Name])
	}
}
