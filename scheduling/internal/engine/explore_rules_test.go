package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// check looks at what must hold after every step, from the tasks and attempts themselves. It is
// quick; checkInvariants, which knows the lists of each policy as well, is asked now and then.
func (w *world) check() {
	c := w.c
	var running, free [kinds]int
	suspended := 0
	for _, n := range c.nodes {
		suspended += w.checkNode(n, &running)
		for k := range free {
			if n.open() {
				free[k] += max(0, n.free(TaskKind(k)))
			}
		}
	}
	if running != c.running || free != c.room {
		w.breaks("the Core counts %v running and %v free slots, there are %v and %v", c.running, c.room, running, free)
	}
	if suspended != c.suspend {
		w.breaks("the Core counts %d suspended attempts, there are %d", c.suspend, suspended)
	}
	var waiting [kinds]int
	for i := range w.submitted {
		if j := c.job(JobID(i + 1)); !j.state.Ended() {
			w.checkJob(j, &waiting)
		}
	}
	if waiting != c.waiting {
		w.breaks("the Core counts %v tasks that wait, there are %v", c.waiting, waiting)
	}
	if o, ok := c.order.(*pools); ok {
		w.checkShares(o)
	}
	w.checkWaits()
}

// checkNode: no slot is negative or used twice, no task runs twice on a node.
func (w *world) checkNode(n *node, running *[kinds]int) (suspended int) {
	var used, tasks [kinds]int
	for _, ai := range n.atts {
		a := &w.c.atts[ai]
		if !n.live {
			w.breaks("%v runs on the lost %s", a.id, n.name)
		}
		if a.job.state.Ended() {
			w.breaks("%v runs, its job has ended", a.id)
		}
		for _, b := range n.atts {
			if other := &w.c.atts[b]; b != ai && other.id.Task == a.id.Task {
				w.breaks("%v and %v are on the same node", a.id, other.id)
			}
		}
		if a.suspended {
			suspended++
		} else {
			used[a.id.Task.Kind] += int(a.job.slots)
			tasks[a.id.Task.Kind]++
			running[a.id.Task.Kind]++
		}
	}
	for k := range used {
		if used[k] != n.used[k] || tasks[k] != n.running[k] || used[k] > n.slots[k] {
			w.breaks("%s: %d of %d %v slots used, the Core counts %d", n.name, used[k], n.slots[k], TaskKind(k), n.used[k])
		}
	}
	return suspended
}

// checkJob: every task of a live job waits, runs, is suspended or done, and is counted as such.
func (w *world) checkJob(j *job, waiting *[kinds]int) {
	for k := range TaskKind(kinds) {
		x := &j.w[k]
		var alive [mostTasks][2]int8 // attempts of each task: running, suspended
		for _, n := range w.c.nodes {
			for _, ai := range n.atts {
				if a := &w.c.atts[ai]; a.job == j && a.id.Task.Kind == k {
					s := 0
					if a.suspended {
						s = 1
					}
					alive[a.id.Task.Index][s]++
				}
			}
		}
		done, running, suspended := 0, 0, 0
		for i := range x.tasks {
			t, in := &x.tasks[i], x.pending.Has(int32(i))
			if k == Map && j.hasPlace(int32(i)) {
				in = x.placed.Has(int32(i))
			}
			ok := false
			switch t.state {
			case taskPending:
				ok = in && alive[i] == [2]int8{}
			case taskRunning:
				ok = !in && alive[i][0] > 0
			case taskSuspended:
				ok = !in && alive[i][0] == 0 && alive[i][1] > 0
			case taskDone:
				ok = !in && alive[i] == [2]int8{}
				done++
				if k == Map && len(j.w[Reduce].tasks) > 0 && !w.c.nodes[t.node].live {
					w.breaks("%v counts as done, its output is gone with its node", TaskID{j.id, k, int32(i)})
				}
			}
			if id := (TaskID{j.id, k, int32(i)}); !ok {
				w.breaks("%v is forgotten or counted twice: state %d, to be launched %v, running %d, suspended %d", id, t.state, in, alive[i][0], alive[i][1])
			} else if f := w.facts(id); f.done > 0 != (t.state == taskDone) || int8(t.fails) > f.failed {
				w.breaks("%v: state %d after %d successes, %d failures counted of %d", id, t.state, f.done, t.fails, f.failed)
			}
			running, suspended = running+int(alive[i][0]), suspended+int(alive[i][1])
		}
		waiting[k] += x.waiting()
		if done != x.done || running != x.running || suspended != x.suspended {
			w.breaks("%v: the Core counts %d %vs done, %d running, %d suspended; there are %d, %d, %d", j.id, x.done, k, x.running, x.suspended, done, running, suspended)
		}
		if k == Reduce && !x.open && running+suspended+done > 0 {
			w.breaks("%v: reduces before %d maps are done", j.id, j.gate)
		}
	}
}

// checkShares: the fair shares are at most the slots.
func (w *world) checkShares(o *pools) {
	o.computeShares()
	for k := range TaskKind(kinds) {
		sum := 0.0
		for _, p := range o.sorted {
			sum += p.share[k]
			if p.share[k] < 0 || p.share[k] > float64(p.wants(k))+1e-6 {
				w.breaks("pool %s has a share of %v %vs and wants %d", p.Name, p.share[k], k, p.wants(k))
			}
		}
		if sum > float64(w.c.slots[k])+1e-6 {
			w.breaks("the shares sum to %v of %d %v slots", sum, w.c.slots[k], k)
		}
	}
}

// checkWaits: no job is passed over once its wait has reached the bound.
func (w *world) checkWaits() {
	for i := range w.submitted {
		j := w.c.job(JobID(i + 1))
		if j.state.Ended() {
			continue
		}
		switch r := w.c.placement[Map].(type) {
		case *timedWait:
			x := r.of.of(j)
			bound := time.Duration(0)
			for l := x.level; l < w.c.far; l++ {
				bound += w.spec.policy.Locality.Waits[l]
			}
			if x.skipped && x.wait >= bound {
				w.breaks("a map of %v waits for its data for %v, at most %v are allowed", j.id, x.wait, bound)
			}
		case *skipCount:
			bound := sumOf(r.limits)
			if r.limits == nil { // its own, by the live nodes, of which there were all at most
				bound = delaymath.Skips(autoLocality, j.spec.Maps, len(w.c.nodes), 1)
			}
			if v, _ := r.view(j); v.Skips > bound {
				w.breaks("%v has refused %d offers for its data, at most %d are allowed", j.id, v.Skips, bound)
			}
		}
		if r, ok := w.c.placement[Reduce].(*cogrs); ok {
			if x, bound := r.of.of(j), r.length(0)+r.length(1); x.skipped && x.wait >= bound {
				w.breaks("a reduce of %v waits for its center for %v, at most %v are allowed", j.id, x.wait, bound)
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

// endRounds is within how many rounds of heartbeats every job ends once nothing more goes wrong.
const endRounds = 40

// ends has all faults stop, and checks that every job ends: each machine sends its heartbeat once in
// a quantum, each attempt asks to commit and succeeds within the next. Machines that are dead or
// cordoned stay so as long as there is another.
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

// anyOpen tells whether some machine takes tasks.
func (w *world) anyOpen() bool {
	for i := range w.spec.nodes {
		if w.machines[i].up && !w.cordoned[i] {
			return true
		}
	}
	return false
}

// revive brings all machines back.
func (w *world) revive() {
	for i := range w.spec.nodes {
		if !w.machines[i].up {
			w.join(i)
		}
		w.cordoned[i] = false
		w.c.Cordon(w.now, NodeID(i), false)
	}
}
