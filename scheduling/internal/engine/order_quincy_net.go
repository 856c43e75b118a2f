package engine

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/flow"
)

// quincyNet is the network of one flow. From the source an arc leads to each job, from there to its
// maps, from a map to the nodes with its data, to their racks, and to the cluster; from the cluster to
// the racks, from a rack to its nodes, and from a node to the sink, as wide as its slots. The
// paper's vertex for what stays unscheduled is left out: its cost, which all maps of a job have in
// common, is taken off the arc to the job, so that only what pays for itself flows. Costs are in
// milliseconds. Numbers in comments are those of docs/papers.md.
type quincyNet struct {
	g      flow.Graph
	nodes  []NodeID   // with slots; their vertices are firstNode and on
	vertex []int32    // by node, or flow.None
	held   []flow.Arc // by place in nodes: to the sink, as wide as its running maps
	groups [][]int32  // vertices by level and group, or flow.None
	slots  int32      // of all nodes
	tasks  []netTask  // maps in the network
	runs   []int32    // attempts that take part, by job and map
	maps   []int32    // scratch
}

// The first vertices.
const (
	netSource = iota
	netSink
	netAny // the cluster
	firstNode
)

// The cost of a map that its job must not do without, and the greatest of waiting.
const (
	netMust = 1 << 44
	netWait = 1 << 40
)

// netTask is a vertex for a map, or for all of a job that have no place.
type netTask struct {
	job     *job
	task    int32 // -1: any without a place
	vertex  int32
	attempt int32 // slab index where it runs, or -1
}

// build makes the network of the free slots, as asks sees them, the node that asks, or NoNode; and,
// if moving, of those that running maps hold.
func (o *quincy) build(asks NodeID, moving bool) {
	x, c := &o.net, o.c
	x.g.Reset()
	x.slots = 0
	x.tasks, x.nodes, x.held, x.runs, x.vertex = x.tasks[:0], x.nodes[:0], x.held[:0], x.runs[:0], x.vertex[:0]
	for range firstNode {
		x.g.Vertex()
	}
	for _, n := range c.nodes {
		x.vertex = append(x.vertex, flow.None)
		if !n.open() {
			continue
		}
		before := len(x.runs)
		if moving {
			o.addMoving(n)
		}
		holds, free := int32(len(x.runs)-before), int32(max(0, n.free(Map)))
		if holds+free == 0 {
			continue
		}
		v := x.g.Vertex()
		x.vertex[n.id] = v
		x.nodes = append(x.nodes, n.id)
		x.held = append(x.held, x.g.Add(v, netSink, holds, 0))
		x.g.Add(v, netSink, free, o.silence(n, asks)) // 5
		x.slots += holds + free
	}
	if x.slots == 0 {
		return
	}
	slices.SortFunc(x.runs, func(a, b int32) int {
		s, t := c.atts[a].id.Task, c.atts[b].id.Task
		return cmp.Or(cmp.Compare(s.Job, t.Job), cmp.Compare(s.Index, t.Index))
	})
	o.addGroups()
	for _, j := range slices.Backward(c.active) { // of equal flows that is found which is added last
		if !j.state.Ended() && j.slots == 1 {
			o.addJob(j)
		}
	}
}

// addMoving lists the running maps of a node that take part: no copies, none that may commit, none
// of several slots.
func (o *quincy) addMoving(n *node) {
	for _, ai := range n.atts {
		a := &o.c.atts[ai]
		alone := a.next < 0 && a.job.w[a.id.Task.Kind].tasks[a.id.Task.Index].att == ai
		if a.id.Task.Kind == Map && !a.suspended && !a.granted && a.job.slots == 1 && alone {
			o.net.runs = append(o.net.runs, ai)
		}
	}
}

// silence is the cost of going to a node that does not ask now: a millisecond, so that of equal slots
// the one at hand is taken, and the time since a plan first had a map for it, if it has not asked
// since, one interval of heartbeats excepted.
func (o *quincy) silence(n *node, asks NodeID) int64 {
	switch {
	case n.id == asks:
		return 0
	case int(n.id) >= len(o.held) || o.held[n.id] == 0:
		return 1
	}
	return 1 + max(0, o.c.now-o.held[n.id]+1-o.c.heartbeatInterval()).Milliseconds()
}

// addGroups adds the racks, and what groups them, down to the nodes.
func (o *quincy) addGroups() {
	x, c := &o.net, o.c
	x.groups = reach(x.groups, int32(len(c.groups)-1))
	for l := 1; l < len(c.groups); l++ {
		x.groups[l] = x.groups[l][:0]
		for range c.groups[l].count() {
			x.groups[l] = append(x.groups[l], flow.None)
		}
	}
	for _, id := range x.nodes {
		below, groups := x.vertex[id], c.nodes[id].groups
		for l := 1; l < len(groups); l++ {
			v := x.groups[l][groups[l]]
			known := v != flow.None
			if !known {
				v = x.g.Vertex()
				x.groups[l][groups[l]] = v
			}
			x.g.Add(v, below, math.MaxInt32, 0)
			if below = v; known {
				below = flow.None
				break
			}
		}
		if below != flow.None {
			x.g.Add(netAny, below, math.MaxInt32, 0)
		}
	}
}

// addJob adds a job with the maps that may be launched, and with those that run if they take part.
func (o *quincy) addJob(j *job) {
	x, w, of := &o.net, &j.w[Map], o.of[j.index]
	first, ok := slices.BinarySearchFunc(x.runs, j.id, func(ai int32, id JobID) int {
		return cmp.Compare(o.c.atts[ai].id.Task.Job, id)
	})
	runs := x.runs[first:first]
	for ok && first+len(runs) < len(x.runs) && o.c.atts[x.runs[first+len(runs)]].job == j {
		runs = x.runs[first : first+len(runs)+1]
	}
	moving := int32(len(runs))
	fixed := int32(w.running) - moving
	must := max(0, of.least-fixed)
	may := max(0, of.most-fixed) - must
	more := min(x.slots, int32(w.waiting()), must+may)
	if more <= 0 && moving == 0 {
		return
	}
	v, wait := x.g.Vertex(), o.waiting(j)
	tiers := [...]flow.Arc{
		x.g.Add(netSource, v, must, -netMust-wait), // 1, 6, 7
		x.g.Add(netSource, v, may, -wait),
		x.g.Add(netSource, v, max(0, moving-must-may), 0), // beyond its share: to be had by others
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

// waiting is what it costs that a map of j waits: the time since its submission, times the weight of
// its priority, and enough for the nearest slot anywhere from the beginning.
func (o *quincy) waiting(j *job) int64 {
	return 2 + int64(min(netWait, float64((o.c.now-j.submitted).Milliseconds())*j.spec.Priority.factor()))
}

// addRunning joins a running map to its job, and to the places where it could be, and has it flow
// where it is. To stay is cheaper by what would be lost, and not to run costs it its reading.
func (o *quincy) addRunning(job, ai int32) {
	x, a := &o.net, &o.c.atts[ai]
	at := x.vertex[a.node.id]
	t := netTask{job: a.job, task: a.id.Task.Index, vertex: x.g.Vertex(), attempt: ai}
	lost := float64(a.worked(o.c.now).Milliseconds()) * o.pol.Lost
	for _, arc := range [...]flow.Arc{
		x.g.Add(job, t.vertex, 1, -o.cost(o.c.far)),
		x.g.Add(t.vertex, at, 1, o.cost(a.locality)-int64(min(lost, netWait))), // 8
		x.held[at-firstNode],
	} {
		x.g.Push(arc, 1)
	}
	o.connect(t.job, t.task, t.vertex, 1)
	x.tasks = append(x.tasks, t)
}

// addWaiting adds the maps of j of which up to more may be launched: all, or only as many for each
// node, for each rack, and for the cluster, as can be launched; a further one would be no cheaper.
func (o *quincy) addWaiting(j *job, v, more int32) {
	x, w := &o.net, &j.w[Map]
	if n := min(int32(w.pending.Len()), more); n > 0 {
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

// candidates lists the pending maps of j with a place that the network needs.
func (o *quincy) candidates(j *job, more int32) []int32 {
	x, w := &o.net, &j.w[Map]
	x.maps = x.maps[:0]
	most := int(more)
	if w.placed.Len() <= most*(len(x.nodes)+1) {
		for m := w.placed.First(); m >= 0; m = w.placed.Next(m) {
			x.maps = append(x.maps, m)
		}
		return x.maps
	}
	if j.byPlace.topo != o.c.topo {
		o.c.buildIndex(j)
	}
	for m, k := w.placed.First(), 0; m >= 0 && k < most; m, k = w.placed.Next(m), k+1 {
		x.maps = append(x.maps, m)
	}
	for _, id := range x.nodes {
		x.maps = j.byPlace.levels[0].Append(x.maps, most, int32(id), &w.placed)
	}
	for l := 1; l < len(x.groups); l++ {
		for g, v := range x.groups[l] {
			if v != flow.None {
				x.maps = j.byPlace.levels[l].Append(x.maps, most, int32(g), &w.placed)
			}
		}
	}
	slices.Sort(x.maps)
	x.maps = slices.Compact(x.maps)
	return x.maps
}

// picky tells whether some node may refuse j: it avoids some, or its tasks are kept from the last
// slots.
func (o *quincy) picky(j *job) bool { return j.trouble.avoided() > 0 || o.c.kept(j, Map) }

// connect joins a map, or n maps without a place, to where it may run.
func (o *quincy) connect(j *job, m, v, n int32) {
	x := &o.net
	if o.picky(j) {
		o.connectOneByOne(j, m, v, n)
		return
	}
	if m < 0 || !j.hasPlace(m) {
		x.g.Add(v, netAny, n, 0)
		return
	}
	p := j.spec.Places
	for _, id := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
		if x.vertex[id] != flow.None {
			x.g.Add(v, x.vertex[id], n, 0) // 2
		}
		groups := o.c.nodes[id].groups
		for l := 1; l < len(groups); l++ {
			if to := x.groups[l][groups[l]]; to != flow.None {
				x.g.Add(v, to, n, o.cost(Locality(l))) // 3
			}
		}
	}
	x.g.Add(v, netAny, n, o.cost(o.c.far)) // 4
}

// connectOneByOne joins a map to the nodes that its job does not refuse.
func (o *quincy) connectOneByOne(j *job, m, v, n int32) {
	x, c := &o.net, o.c
	for _, id := range x.nodes {
		to := c.nodes[id]
		if c.avoids(j, to) || c.kept(j, Map) && to.free(Map) <= c.pol.ReserveLong && to.slots[Map] > c.pol.ReserveLong {
			continue
		}
		l := AnyPlace
		if m >= 0 {
			l = c.level(j, m, to)
		}
		x.g.Add(v, x.vertex[id], n, o.cost(l))
	}
}

// cost is that of reading at a level, in milliseconds.
func (o *quincy) cost(l Locality) int64 {
	rack, far := o.pol.Rack, o.pol.Far
	switch {
	case l == NodeLocal || l == AnyPlace:
		return 0
	case l >= o.c.far:
		return far.Milliseconds()
	}
	return (rack + (far-rack)*time.Duration(l-1)/time.Duration(o.c.far-1)).Milliseconds()
}
