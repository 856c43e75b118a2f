package quincy

import (
	"cmp"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/flow"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// quincyNet is the network of one flow. Arcs lead from the source to each job, and from a job to
// its maps. From a map they lead to the nodes with its data, to their racks, and to the cluster.
// They also lead from the cluster to racks, and from a rack to its nodes. A node's arc to the sink
// has the capacity of its slots. The paper's vertex for unscheduled tasks is omitted: the cost of
// waiting is subtracted from the arc to the job, so that only flow that costs less is profitable.
// Costs are in milliseconds. Numbers in comments are the steps in docs/papers.md.
type quincyNet struct {
	g           flow.Graph
	nodes       []model.NodeID // with slots; their vertices begin at firstNode
	vertex      []int32        // by node, or flow.None
	runningArcs []flow.Arc     // by index in nodes: arc to the sink with the capacity of its running maps
	racks       []int32        // vertices by rack, or flow.None
	slots       int32          // of all nodes
	tasks       []netTask      // the vertices of maps
	movable     []int32        // running maps that may be moved, as indexes of Core.Attempts, by job and map
	maps        []int32        // scratch
}

// The first vertices.
const (
	netSource = iota
	netSink
	netAny // the cluster
	firstNode
)

// netMust is the gain of a map within its job's minimum; netWait is the maximum cost of waiting.
const (
	netMust = 1 << 44
	netWait = 1 << 40
)

// netTask is the vertex of a map, or of all maps of a job that have no place.
type netTask struct {
	job     *core.Job
	task    int32 // -1: all maps without a place
	vertex  int32
	attempt int32 // index in Core.Attempts of its running attempt, or -1
}

// build creates the network of the free slots, at a heartbeat of the node `asks` (NoNode: at none).
// If `moving` is set, it adds the slots of running maps that may be moved.
func (o *Order) build(asks model.NodeID, moving bool) {
	x, c := &o.net, o.C
	x.g.Reset()
	x.slots = 0
	x.tasks, x.nodes, x.runningArcs, x.movable, x.vertex = x.tasks[:0], x.nodes[:0], x.runningArcs[:0], x.movable[:0], x.vertex[:0]
	for range firstNode {
		x.g.Vertex()
	}
	for _, n := range c.Nodes {
		x.vertex = append(x.vertex, flow.None)
		if !n.Open() {
			continue
		}
		before := len(x.movable)
		if moving {
			o.addMovable(n)
		}
		holds, free := int32(len(x.movable)-before), int32(max(0, n.Free(model.Map)))
		if holds+free == 0 {
			continue
		}
		v := x.g.Vertex()
		x.vertex[n.ID] = v
		x.nodes = append(x.nodes, n.ID)
		x.runningArcs = append(x.runningArcs, x.g.Add(v, netSink, holds, 0))
		x.g.Add(v, netSink, free, o.silenceCost(n, asks)) // step 5
		x.slots += holds + free
	}
	if x.slots == 0 {
		return
	}
	slices.SortFunc(x.movable, func(a, b int32) int {
		s, t := c.Attempts[a].ID.Task, c.Attempts[b].ID.Task
		return cmp.Or(cmp.Compare(s.Job, t.Job), cmp.Compare(s.Index, t.Index))
	})
	o.addRacks()
	for _, j := range slices.Backward(c.Active) { // among equal flows, the solver finds the one added last
		if j.Slots == 1 {
			o.addJob(j)
		}
	}
}

// addMovable adds the running maps of a node that may be moved to the list. Such a map has one
// attempt, which holds one slot and has no permission to commit yet.
func (o *Order) addMovable(n *core.NodeState) {
	for _, ai := range n.Atts {
		a := &o.C.Attempts[ai]
		alone := a.Next < 0 && a.Job.Work[a.ID.Task.Kind].Tasks[a.ID.Task.Index].Att == ai
		if a.ID.Task.Kind == model.Map && !a.Suspended && !a.Granted && a.Job.Slots == 1 && alone {
			o.net.movable = append(o.net.movable, ai)
		}
	}
}

// silenceCost returns the cost of using a node that does not ask now. It is one millisecond, so
// that of equal slots that of the asking node is used. If a plan had a map for the node, and the
// node has not asked since, it may be dead. Then the time since that plan, minus one heartbeat
// interval, is added.
func (o *Order) silenceCost(n *core.NodeState, asks model.NodeID) int64 {
	switch {
	case n.ID == asks:
		return 0
	case int(n.ID) >= len(o.PlannedAt) || o.PlannedAt[n.ID] == 0:
		return 1
	}
	return 1 + max(0, o.C.Now-o.PlannedAt[n.ID]+1-o.C.HeartbeatInterval()).Milliseconds()
}

// addRacks adds vertices for the racks, and the arcs from the cluster through them to the nodes.
func (o *Order) addRacks() {
	x := &o.net
	x.racks = x.racks[:0]
	for range len(o.C.Racks) {
		x.racks = append(x.racks, flow.None)
	}
	for _, id := range x.nodes {
		rack := &x.racks[o.C.Nodes[id].Site[1]]
		known := *rack != flow.None
		if !known {
			*rack = x.g.Vertex()
		}
		x.g.Add(*rack, x.vertex[id], math.MaxInt32, 0)
		if !known {
			x.g.Add(netAny, *rack, math.MaxInt32, 0)
		}
	}
}

// addJob adds a job, with the maps that it may launch and its running maps that may be moved.
func (o *Order) addJob(j *core.Job) {
	x, w, of := &o.net, &j.Work[model.Map], o.Of.Of(j)
	first, ok := slices.BinarySearchFunc(x.movable, j.ID, func(ai int32, id model.JobID) int {
		return cmp.Compare(o.C.Attempts[ai].ID.Task.Job, id)
	})
	runs := x.movable[first:first]
	for ok && first+len(runs) < len(x.movable) && o.C.Attempts[x.movable[first+len(runs)]].Job == j {
		runs = x.movable[first : first+len(runs)+1]
	}
	moving := int32(len(runs))
	fixed := int32(w.Running) - moving
	must := max(0, of.Min-fixed)
	may := max(0, of.Max-fixed) - must
	more := min(x.slots, int32(w.Waiting()), must+may)
	if more <= 0 && moving == 0 {
		return
	}
	v, wait := x.g.Vertex(), o.waiting(j)
	tiers := [...]flow.Arc{
		x.g.Add(netSource, v, must, -netMust-wait), // steps 1, 6, 7
		x.g.Add(netSource, v, may, -wait),
		x.g.Add(netSource, v, max(0, moving-must-may), 0), // beyond its share: other jobs may get these slots
	}
	for _, ai := range runs {
		for _, tier := range tiers {
			if x.g.Room(tier) > 0 {
				x.g.Push(tier, 1)
				break
			}
		}
		o.addRunning(v, ai)
	}
	if more > 0 {
		o.addWaiting(j, v, more)
	}
}

// waiting returns the cost of letting a map of j wait, in milliseconds. It is the time since the
// submission, multiplied by the factor of its priority. 2 is added, so that the nearest slot
// anywhere is worth using from the beginning.
func (o *Order) waiting(j *core.Job) int64 {
	return 2 + int64(min(netWait, float64((o.C.Now-j.Submitted).Milliseconds())*j.Spec.Priority.Factor()))
}

// addRunning connects a running map to its job and to the places where it could run, and sends flow
// through its present node. Staying is cheaper by the work that a move would lose. Not running
// costs as much as reading from the farthest node.
func (o *Order) addRunning(job, ai int32) {
	x, a := &o.net, &o.C.Attempts[ai]
	at := x.vertex[a.Node.ID]
	t := netTask{job: a.Job, task: a.ID.Task.Index, vertex: x.g.Vertex(), attempt: ai}
	lost := float64(a.Worked(o.C.Now).Milliseconds()) * o.Pol.Lost
	for _, arc := range [...]flow.Arc{
		x.g.Add(job, t.vertex, 1, -o.cost(model.OffRack)),
		x.g.Add(t.vertex, at, 1, o.cost(a.Locality)-int64(min(lost, netWait))), // step 8
		x.runningArcs[at-firstNode],
	} {
		x.g.Push(arc, 1)
	}
	o.connect(t.job, t.task, t.vertex, 1)
	x.tasks = append(x.tasks, t)
}

// addWaiting adds the maps of j, of which up to `more` may be launched. If there are many, it adds
// only `more` per node, per rack and for the cluster, since further ones would not be cheaper.
func (o *Order) addWaiting(j *core.Job, v, more int32) {
	x, w := &o.net, &j.Work[model.Map]
	if n := min(int32(w.Pending.Len()), more); n > 0 {
		t := netTask{job: j, task: -1, vertex: x.g.Vertex(), attempt: -1}
		x.g.Add(v, t.vertex, n, 0)
		o.connect(j, -1, t.vertex, n)
		x.tasks = append(x.tasks, t)
	}
	for _, m := range slices.Backward(o.candidates(j, more)) {
		t := netTask{job: j, task: m, vertex: x.g.Vertex(), attempt: -1}
		x.g.Add(v, t.vertex, 1, 0)
		o.connect(j, m, t.vertex, 1)
		x.tasks = append(x.tasks, t)
	}
}

// candidates returns the pending maps of j, of those with a place, that addWaiting adds.
func (o *Order) candidates(j *core.Job, more int32) []int32 {
	x, w := &o.net, &j.Work[model.Map]
	x.maps = x.maps[:0]
	most := int(more)
	if w.Placed.Len() <= most*(len(x.nodes)+1) {
		for m := w.Placed.First(); m >= 0; m = w.Placed.Next(m) {
			x.maps = append(x.maps, m)
		}
		return x.maps
	}
	if j.ByPlace.Topo != o.C.Topo {
		o.C.BuildIndex(j)
	}
	for m, k := w.Placed.First(), 0; m >= 0 && k < most; m, k = w.Placed.Next(m), k+1 {
		x.maps = append(x.maps, m)
	}
	for _, id := range x.nodes {
		x.maps = j.ByPlace.Levels[0].Append(x.maps, most, int32(id), &w.Placed)
	}
	for rack, v := range x.racks {
		if v != flow.None {
			x.maps = j.ByPlace.Levels[1].Append(x.maps, most, int32(rack), &w.Placed)
		}
	}
	slices.Sort(x.maps)
	x.maps = slices.Compact(x.maps)
	return x.maps
}

// picky reports whether j may not use every node. It may avoid some, or the last slots of a node
// may be kept from long tasks.
func (o *Order) picky(j *core.Job) bool {
	return o.C.BadNodes(j) > 0 || o.C.Kept(j, model.Map)
}

// connect adds arcs from a map, or from n maps without a place, to the places where it may run.
func (o *Order) connect(j *core.Job, m, v, n int32) {
	x := &o.net
	if o.picky(j) {
		o.connectOneByOne(j, m, v, n)
		return
	}
	if m < 0 || !j.HasPlace(m) {
		x.g.Add(v, netAny, n, 0)
		return
	}
	p := j.Spec.Places
	for _, id := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
		if x.vertex[id] != flow.None {
			x.g.Add(v, x.vertex[id], n, 0) // step 2
		}
		if at := o.C.Nodes[id]; at.Joined && x.racks[at.Site[1]] != flow.None {
			x.g.Add(v, x.racks[at.Site[1]], n, o.cost(model.RackLocal)) // step 3
		}
	}
	x.g.Add(v, netAny, n, o.cost(model.OffRack)) // step 4
}

// connectOneByOne adds arcs from a map to each node that its job may use.
func (o *Order) connectOneByOne(j *core.Job, m, v, n int32) {
	x, c := &o.net, o.C
	for _, id := range x.nodes {
		to := c.Nodes[id]
		if c.Avoids(j, to) || c.Kept(j, model.Map) && to.Free(model.Map) <= c.Policy.ReserveLong && to.Slots[model.Map] > c.Policy.ReserveLong {
			continue
		}
		l := model.AnyPlace
		if m >= 0 {
			l = c.Level(j, m, to)
		}
		x.g.Add(v, x.vertex[id], n, o.cost(l))
	}
}

// cost returns the cost of reading input at locality level l, in milliseconds.
func (o *Order) cost(l model.Locality) int64 {
	switch l {
	case model.NodeLocal, model.AnyPlace:
		return 0
	case model.RackLocal:
		return o.Pol.Rack.Milliseconds()
	default:
		return o.Pol.Far.Milliseconds()
	}
}
