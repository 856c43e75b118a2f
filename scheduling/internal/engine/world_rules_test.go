package engine

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// check fails the walk unless the invariants hold, and tasks are done and have failed as the events
// and the machines say.
func (w *world) check() {
	checkInvariants(w.t, w.c)
	for i := range w.jobs {
		j := w.c.Job(model.JobID(i + 1))
		if j.State.Ended() {
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
		if !w.switched {
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
			bound += w.spec.policy.Locality.Waits[l]
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

// endRounds is the number of rounds of heartbeats within which every job ends without faults.
const endRounds = 40

// ends stops all faults and checks that every job ends. Each machine sends a heartbeat per quantum,
// and each attempt asks to commit and succeeds before the next one. Dead and cordoned machines stay
// so while another is open.
func (w *world) ends() {
	w.t.Logf("no more faults")
	if !slices.ContainsFunc(w.machines, func(m machine) bool { return m.up && !m.cordoned }) {
		for i := range w.machines {
			if !w.machines[i].up {
				w.join(i)
			}
			w.cordon(i, false)
		}
	}
	for round := 0; len(w.c.View().Active()) > 0; round++ {
		require.Less(w.t, round, endRounds, "every job ends once faults have stopped")
		w.pass()
		for i := range w.machines {
			m := &w.machines[i]
			if !m.up {
				continue
			}
			for h := range m.held {
				if a := &m.held[h]; a.state == heldRuns && (a.granted || !w.commits(a.id.Task)) {
					a.state = heldSucceeded
				} else if a.state == heldRuns && a.half {
					w.commit(a)
				} else {
					a.half = true
				}
			}
			w.answered(i, w.deliver(i, w.write(i, true)))
			w.check()
		}
	}
}
