package quincy

import (
	"cmp"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/flow"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Assign gives the free map slots of n to tasks of several slots, then to the maps that the flow
// places there, then to speculative attempts. It offers the free reduce slots to the jobs in order,
// as other orders do.
func (o *Order) Assign(n *core.NodeState) {
	if n.Free(model.Map) > 0 && o.Lists[model.Map].Len() > 0 {
		o.computeBounds()
		o.offerSome(n, func(j *core.Job) bool {
			return j.Slots > 1 && (j.Work[model.Map].Waiting() == 0 || j.Work[model.Map].Running < int(o.Of.Of(j).Max))
		})
		o.launchPlanned(n)
		o.offerSome(n, func(j *core.Job) bool { return j.Slots == 1 && j.Work[model.Map].Waiting() == 0 })
	}
	o.C.Fill(n, model.Reduce)
}

// offerSome offers the free map slots of n, in order, to the jobs for which `some` returns true.
func (o *Order) offerSome(n *core.NodeState, some func(*core.Job) bool) {
	o.C.Placement[model.Map].Begin()
	for n.Free(model.Map) > 0 && o.offerOne(n, some) {
	}
}

// offerOne offers a map slot of n to the jobs that `some` selects; it returns true if one took it.
func (o *Order) offerOne(n *core.NodeState, some func(*core.Job) bool) bool {
	for j := range o.C.InOrder(model.Map) {
		if some(j) && o.C.Offer(j, n, model.Map) {
			return true
		}
	}
	return false
}

// launchPlanned launches the planned maps of n. It first computes a new plan if time or state has
// changed since the last one, or if that did not include n.
func (o *Order) launchPlanned(n *core.NodeState) {
	o.PlannedAt = core.Reach(o.PlannedAt, int32(len(o.C.Nodes)-1))
	if !o.FreshPlan || o.At != o.C.Now || o.PlannedAt[n.ID] != 0 {
		o.PlannedAt[n.ID] = 0
		o.makePlan(n)
	}
	o.PlannedAt[n.ID] = 0
	o.following = true
	for i := range o.Plan {
		p := &o.Plan[i]
		if p.Node == n.ID && n.Free(model.Map) > 0 {
			p.Node = model.NoNode
			o.follow(p, n)
		}
	}
	o.following = false
}

// follow launches a planned map on n.
func (o *Order) follow(p *planned, n *core.NodeState) {
	c, w, m := o.C, &p.Job.Work[model.Map], p.Task
	if m < 0 {
		m = w.Pending.First()
	}
	if m < 0 || w.Tasks[m].State != core.TaskPending {
		return
	}
	l, why := c.Level(p.Job, m, n), model.Reason{Cause: model.CauseFlow}
	switch l {
	case model.NodeLocal:
		why.Cause = model.CauseLocal
	case model.AnyPlace:
		why.Cause = model.CauseNoLocation
	default:
	}
	c.Launch(p.Job, model.Map, m, n, l, why, nil) // step 10
}

// makePlan computes which waiting maps go to which free slots, at a heartbeat of n.
func (o *Order) makePlan(n *core.NodeState) {
	x := &o.net
	o.FreshPlan, o.At, o.Plan = true, o.C.Now, o.Plan[:0]
	o.build(n.ID, false)
	if len(x.tasks) == 0 {
		return
	}
	x.g.Solve(netSource, netSink) // step 9
	for i := range slices.Backward(x.tasks) {
		t := &x.tasks[i]
		for v := x.g.Trace(t.vertex, netSink); v != flow.None; v = x.g.Trace(t.vertex, netSink) {
			at := x.nodes[v-firstNode]
			o.Plan = append(o.Plan, planned{t.job, t.task, at})
			if o.PlannedAt[at] == 0 {
				o.PlannedAt[at] = o.C.Now + 1
			}
		}
	}
}

// PreemptNow computes the minimum-cost flow of running and waiting maps over all slots. It kills
// the running maps that the flow places on another node or nowhere, newest first.
func (o *Order) PreemptNow() {
	if !o.kills() {
		return
	}
	x, c := &o.net, o.C
	o.Last = c.Now
	o.computeBounds()
	if o.build(model.NoNode, true); len(x.movable) == 0 {
		return
	}
	x.g.Solve(netSource, netSink) // step 9
	moved := x.maps[:0]
	for i := range x.tasks {
		t := &x.tasks[i]
		if t.attempt < 0 {
			continue
		}
		v := x.g.Trace(t.vertex, netSink)
		if v == flow.None || x.nodes[v-firstNode] != c.Attempts[t.attempt].Node.ID {
			moved = append(moved, t.attempt)
		}
	}
	x.maps = moved
	slices.SortFunc(moved, func(x, y int32) int {
		a, b := &c.Attempts[x], &c.Attempts[y]
		return cmp.Or(cmp.Compare(b.Start, a.Start), cmp.Compare(a.ID.Task.Job, b.ID.Task.Job), cmp.Compare(a.ID.Task.Index, b.ID.Task.Index))
	})
	for _, ai := range moved {
		c.Killed = append(c.Killed, c.Attempts[ai].ID)
		c.KillAttempt(ai, model.Reason{Cause: model.CauseFlowMoved}, false) // step 10
	}
}
