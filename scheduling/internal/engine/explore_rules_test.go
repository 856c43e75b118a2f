package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/pools"
)

// check verifies the rules that hold after every step, by looking at tasks and attempts. It is
// quick. checkInvariants also verifies the lists of each policy; it runs for some states.
func (w *world) check() {
	c := w.c
	var running, free [model.Kinds]int
	suspended := 0
	for _, n := range c.Nodes {
		suspended += w.checkNode(n, &running)
		for k := range free {
			if n.Open() {
				free[k] += max(0, n.Free(model.TaskKind(k)))
			}
		}
	}
	if running != c.Running || free != c.Room {
		w.breaks("the Core counts %v running and %v free slots, there are %v and %v", c.Running, c.Room, running, free)
	}
	if suspended != c.Suspend {
		w.breaks("the Core counts %d suspended attempts, there are %d", c.Suspend, suspended)
	}
	var waiting [model.Kinds]int
	for i := range w.submitted {
		if j := c.Job(model.JobID(i + 1)); !j.State.Ended() {
			w.checkJob(j, &waiting)
		}
	}
	if waiting != c.Waiting {
		w.breaks("the Core counts %v tasks that wait, there are %v", c.Waiting, waiting)
	}
	if o, ok := c.Order.(*pools.Order); ok {
		w.checkShares(o)
	}
	w.checkWaits()
}

// checkNode: no slot is negative or used twice, and no task runs twice on a node.
func (w *world) checkNode(n *core.NodeState, running *[model.Kinds]int) (suspended int) {
	var used, tasks [model.Kinds]int
	for _, ai := range n.Atts {
		a := &w.c.Attempts[ai]
		if !n.Live {
			w.breaks("%v runs on the lost %s", a.ID, n.Name)
		}
		if a.Job.State.Ended() {
			w.breaks("%v runs, its job has ended", a.ID)
		}
		for _, b := range n.Atts {
			if other := &w.c.Attempts[b]; b != ai && other.ID.Task == a.ID.Task {
				w.breaks("%v and %v are on the same node", a.ID, other.ID)
			}
		}
		if a.Suspended {
			suspended++
		} else {
			used[a.ID.Task.Kind] += int(a.Job.Slots)
			tasks[a.ID.Task.Kind]++
			running[a.ID.Task.Kind]++
		}
	}
	for k := range used {
		if used[k] != n.Used[k] || tasks[k] != n.Running[k] || used[k] > n.Slots[k] {
			w.breaks("%s: %d of %d %v slots used, the Core counts %d", n.Name, used[k], n.Slots[k], model.TaskKind(k), n.Used[k])
		}
	}
	return suspended
}

// checkJob: each task of a live job waits, runs, is suspended or done, and is counted as that.
func (w *world) checkJob(j *core.Job, waiting *[model.Kinds]int) {
	for k := range model.TaskKind(model.Kinds) {
		x := &j.Work[k]
		var alive [maxTasks][2]int8 // number of each task's running and suspended attempts
		for _, n := range w.c.Nodes {
			for _, ai := range n.Atts {
				if a := &w.c.Attempts[ai]; a.Job == j && a.ID.Task.Kind == k {
					s := 0
					if a.Suspended {
						s = 1
					}
					alive[a.ID.Task.Index][s]++
				}
			}
		}
		done, running, suspended := 0, 0, 0
		for i := range x.Tasks {
			t, in := &x.Tasks[i], x.Pending.Has(int32(i))
			if k == model.Map && j.HasPlace(int32(i)) {
				in = x.Placed.Has(int32(i))
			}
			ok := false
			switch t.State {
			case core.TaskPending:
				ok = in && alive[i] == [2]int8{}
			case core.TaskRunning:
				ok = !in && alive[i][0] > 0
			case core.TaskSuspended:
				ok = !in && alive[i][0] == 0 && alive[i][1] > 0
			case core.TaskDone:
				ok = !in && alive[i] == [2]int8{}
				done++
				if k == model.Map && len(j.Work[model.Reduce].Tasks) > 0 && !w.c.Nodes[t.Node].Live {
					w.breaks("%v counts as done, its output is gone with its node", model.TaskID{Job: j.ID, Kind: k, Index: int32(i)})
				}
			}
			if id := (model.TaskID{Job: j.ID, Kind: k, Index: int32(i)}); !ok {
				w.breaks("%v is forgotten or counted twice: state %d, to be launched %v, running %d, suspended %d", id, t.State, in, alive[i][0], alive[i][1])
			} else if f := w.facts(id); f.done > 0 != (t.State == core.TaskDone) || int8(t.Fails) > f.failed {
				w.breaks("%v: state %d after %d successes, %d failures counted of %d", id, t.State, f.done, t.Fails, f.failed)
			}
			running, suspended = running+int(alive[i][0]), suspended+int(alive[i][1])
		}
		waiting[k] += x.Waiting()
		if done != x.Done || running != x.Running || suspended != x.Suspended {
			w.breaks("%v: the Core counts %d %vs done, %d running, %d suspended; there are %d, %d, %d", j.ID, x.Done, k, x.Running, x.Suspended, done, running, suspended)
		}
		if k == model.Reduce && !x.Open && running+suspended+done > 0 {
			w.breaks("%v: reduces before %d maps are done", j.ID, j.Gate)
		}
	}
}

// checkShares: each pool's fair share is at most its demand, and their sum at most the slots.
func (w *world) checkShares(o *pools.Order) {
	o.ComputeShares()
	for k := range model.TaskKind(model.Kinds) {
		sum := 0.0
		for _, p := range o.Sorted {
			sum += p.Share[k]
			if p.Share[k] < 0 || p.Share[k] > float64(p.Wants(k))+1e-6 {
				w.breaks("pool %s has a share of %v %vs and wants %d", p.Name, p.Share[k], k, p.Wants(k))
			}
		}
		if sum > float64(w.c.Slots[k])+1e-6 {
			w.breaks("the shares sum to %v of %d %v slots", sum, w.c.Slots[k], k)
		}
	}
}

// checkWaits: a job whose wait has reached the bound of its rule is not passed over.
func (w *world) checkWaits() {
	for i := range w.submitted {
		j := w.c.Job(model.JobID(i + 1))
		if j.State.Ended() {
			continue
		}
		switch r := w.c.Placement[model.Map].(type) {
		case *delay.TimedWait:
			x := r.Of.Of(j)
			bound := time.Duration(0)
			for l := x.Level; l < w.c.Far; l++ {
				bound += w.spec.policy.Locality.Waits[l]
			}
			if x.Skipped && x.Wait >= bound {
				w.breaks("a map of %v waits for its data for %v, at most %v are allowed", j.ID, x.Wait, bound)
			}
		case *delay.SkipCount:
			bound := sumOf(r.Limits)
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
}

func sumOf(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

// endRounds is the number of rounds of heartbeats within which every job ends without faults.
const endRounds = 40

// ends stops all faults and checks that every job ends. Each machine sends a heartbeat per quantum,
// and each attempt asks to commit and succeeds before the next one. Dead and cordoned machines stay
// so while another is open.
func (w *world) ends() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	w.left = faults{}
	if !w.anyOpen() {
		w.revive()
	}
	for range endRounds {
		if w.broken != nil {
			return w.broken
		}
		if len(w.c.View().Active()) == 0 {
			return nil
		}
		w.pass()
		for i := range w.spec.nodes {
			m := &w.machines[i]
			if !m.up {
				continue
			}
			for h := range m.held[:m.n] {
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
	return errors.New("a job does not end once faults have stopped")
}

// anyOpen reports whether some machine is up and not cordoned.
func (w *world) anyOpen() bool {
	for i := range w.spec.nodes {
		if w.machines[i].up && !w.cordoned[i] {
			return true
		}
	}
	return false
}

// revive makes all machines join and ends their cordons.
func (w *world) revive() {
	for i := range w.spec.nodes {
		if !w.machines[i].up {
			w.join(i)
		}
		w.cordoned[i] = false
		w.c.Cordon(w.now, model.NodeID(i), false)
	}
}
