package engine

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/flow"
)

// assign gives the free map slots of n to tasks of several slots, to the maps that the flow has for
// it, and to copies, in this order, and offers the free reduce slots to the jobs in order.
func (o *quincy) assign(n *node) {
	if n.free(Map) > 0 && o.lists[Map].Len() > 0 {
		o.computeBounds()
		o.offerSome(n, func(j *job) bool {
			return j.slots > 1 && (j.w[Map].waiting() == 0 || j.w[Map].running < int(o.of[j.index].most))
		})
		o.launchPlanned(n)
		o.offerSome(n, func(j *job) bool { return j.slots == 1 && j.w[Map].waiting() == 0 })
	}
	o.c.fill(n, Reduce)
}

// offerSome offers the free map slots of n to some of the jobs in order.
func (o *quincy) offerSome(n *node, some func(*job) bool) {
	o.c.placement[Map].begin()
	for n.free(Map) > 0 && o.offerOne(n, some) {
	}
}

// offerOne offers one slot, and reports whether a job took it.
func (o *quincy) offerOne(n *node, some func(*job) bool) bool {
	for j := range o.c.inOrder(Map) {
		if some(j) && o.c.offer(j, n, Map) {
			return true
		}
	}
	return false
}

// launchPlanned launches what the plan has for n, after a new plan if the last is of another time or
// state, or did not count on n.
func (o *quincy) launchPlanned(n *node) {
	o.held = reach(o.held, int32(len(o.c.nodes)-1))
	if !o.fresh || o.at != o.c.now || o.held[n.id] != 0 {
		o.held[n.id] = 0
		o.makePlan(n)
	}
	o.held[n.id] = 0
	o.acting = true
	for i := range o.plan {
		p := &o.plan[i]
		if p.node == n.id && n.free(Map) > 0 {
			p.node = NoNode
			o.follow(p, n)
		}
	}
	o.acting = false
}

// follow launches a planned map on n; the task selector may want another one of the job.
func (o *quincy) follow(p *planned, n *node) {
	c, w, m := o.c, &p.job.w[Map], p.task
	if m < 0 {
		m = w.pending.First()
	}
	if m < 0 || w.tasks[m].state != taskPending {
		return
	}
	if i := c.selected(p.job, Map, n, m, c.far); i != m {
		m, o.fresh = i, false
	}
	l, why := c.level(p.job, m, n), Reason{Cause: CauseFlow}
	switch l {
	case NodeLocal:
		why.Cause = CauseLocal
	case AnyPlace:
		why.Cause = CauseNoLocation
	default:
	}
	c.launch(p.job, Map, m, n, l, why, nil) // 10
}

// makePlan works out which of the maps that wait go to which of the free slots, as n asks.
func (o *quincy) makePlan(n *node) {
	x := &o.net
	o.fresh, o.at, o.plan = true, o.c.now, o.plan[:0]
	o.build(n.id, false)
	if len(x.tasks) == 0 {
		return
	}
	x.g.Solve(netSource, netSink) // 9
	for i := range slices.Backward(x.tasks) {
		t := &x.tasks[i]
		for v := x.g.Trace(t.vertex, netSink); v != flow.None; v = x.g.Trace(t.vertex, netSink) {
			at := x.nodes[v-firstNode]
			o.plan = append(o.plan, planned{t.job, t.task, at})
			if o.held[at] == 0 {
				o.held[at] = o.c.now + 1
			}
		}
	}
}

// preemptNow has running maps and those that wait flow to all slots, and kills the running ones that
// no longer flow where they are, the newest first.
func (o *quincy) preemptNow() {
	if !o.kills() {
		return
	}
	x, c := &o.net, o.c
	o.last = c.now
	o.computeBounds()
	if o.build(NoNode, true); len(x.runs) == 0 {
		return
	}
	x.g.Solve(netSource, netSink) // 9
	moved := x.maps[:0]
	for i := range x.tasks {
		t := &x.tasks[i]
		if t.attempt < 0 {
			continue
		}
		v := x.g.Trace(t.vertex, netSink)
		if v == flow.None || x.nodes[v-firstNode] != c.atts[t.attempt].node.id {
			moved = append(moved, t.attempt)
		}
	}
	x.maps = moved
	slices.SortFunc(moved, func(x, y int32) int {
		a, b := &c.atts[x], &c.atts[y]
		return cmp.Or(cmp.Compare(b.start, a.start), cmp.Compare(a.id.Task.Job, b.id.Task.Job), cmp.Compare(a.id.Task.Index, b.id.Task.Index))
	})
	for _, ai := range moved {
		c.killed = append(c.killed, c.atts[ai].id)
		c.kill(ai, Reason{Cause: CauseFlowMoved}, false) // 10
	}
}
