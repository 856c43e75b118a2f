package scheduling

import (
	"cmp"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// cogrs launches each reduce at, or near, the center of gravity of its input [Hammoud12]: a slot on
// a node that is worse by more than Theta is refused for a bounded time, first unless it is
// (nearly) the center, then unless it is in the center's rack. LARTS is the same with the node that
// holds most as center [Hammoud11]. A job with nothing to gain anywhere never waits. How long to
// wait for the center, the papers do not say; the waits and levels are those of maps.
//
// The weights, the distances and the centers are worked out by package gravity. Here stand, in this
// order, the wait, the offer of a slot, and the choice of the reduce for it. What only makes that
// fast is apart: the nodes that are good for each reduce are kept in a plan (reduce_cogrs_plan.go),
// and jobs that wait are passed over without asking them (reduce_cogrs_pass.go).
type cogrs struct {
	anyNode
	clock  waitClock
	pol    ReducePolicy
	levels int                // that count in the score
	level  []Locality         // by index of the job: at which its last reduce was launched: 0 at its center, 1 in its rack, 2 beyond
	turns  []turns            // likewise
	wide   index.Bits         // armed jobs whose reduces may go to the racks of their centers
	of     []*reducing        // by index of the job
	asked  [2]index.BitMatrix // jobs that have a node (0) or rack (1) in their plan, or reduces on the node
	takes  index.BitMatrix    // jobs that may have a reduce to launch on a node in their plan
	full   index.BitMatrix    // jobs of whose reduces a node has its part
	racks  [][]*node          // live nodes by rack, if listed
	listed bool

	ask   index.Bits // of toAsk
	askOf *node      // for which ask was worked out; nil if what it depends on may have changed

	// scratch of the search for centers
	floor  []int64    // by reduce: the score from which a node is among the best
	rates  []rackRate // by rack
	around [][]int64
	// of that in racks
	contend []contenders // by rack
	top     []int64      // by reduce: the greatest bound of a rack,
	first   []int32      // and which rack that is
	bounds  []int64      // by reduce, of one rack
	sorter  hereSorter
}

// turns are how often an armed job was passed over in turn: what rescue has yet to make up for, and
// how often it may be.
type turns struct {
	taken int32
	most  int32 // before the turn comes to a reduce that is loose
}

// reducing is what the rule keeps of a job beside its wait.
type reducing struct {
	plan     plan
	launched nodeCounts // by node: reduces launched there that have not come to nothing
	marked   [2][]int32 // where the job stands in cogrs.asked
}

func newCoGRS(a anyNode, p ReducePolicy) *cogrs {
	p.Theta = max(0, cmp.Or(p.Theta, 0.05))
	p.SkewCap = cmp.Or(p.SkewCap, 1.5)
	r := &cogrs{anyNode: a, clock: waitClock{c: a.c}, pol: p, levels: int(a.c.far)}
	if p.Rule == LARTS {
		r.levels = 1
	}
	return r
}

func (r *cogrs) add(j *job) {
	r.level, r.turns = roomFor(r.level, j.index), roomFor(r.turns, j.index)
	r.wide.Widen(j.index)
	r.wide.Clear(j.index)
	r.clock.add(j.index)
	r.of = roomFor(r.of, j.index)
	r.of[j.index] = &reducing{}
	for l := range r.asked {
		r.asked[l].Widen(j.index)
	}
	r.takes.Widen(j.index)
	r.full.Widen(j.index)
}

func (r *cogrs) remove(j *job) {
	for l, groups := range r.of[j.index].marked {
		for _, group := range groups {
			r.unmark(j, l, group)
		}
	}
	r.of[j.index] = nil
}

func (r *cogrs) waits() bool { return true }

func (r *cogrs) changed(j *job, ready, plain bool) {
	r.askOf = nil
	r.clock.changed(j.index, ready, plain)
}

// credited is how long a job has waited.
func (r *cogrs) credited(j *job) time.Duration { return r.clock.wait(j.index) }

// armed tells whether a job is passed over where its plan allows it.
func (r *cogrs) armed(j *job) bool { return r.clock.foreseen.Has(j.index) }

// disarm has a job asked again.
func (r *cogrs) disarm(j *job) { r.clock.foresee(j.index, 0) }

func (r *cogrs) begin() {
	if !r.clock.open {
		r.askOf = nil
		r.clock.begin()
	}
}

func (r *cogrs) end() { r.clock.end() }

// length is the wait of a level.
func (r *cogrs) length(l Locality) time.Duration {
	if w := r.pol.Waits[l]; w != 0 {
		return max(0, w)
	}
	return r.c.autoWait()
}

// allowed is 0: at the center; 1: in its rack; 2: anywhere.
func (r *cogrs) allowed(j *job) Locality {
	wait := r.credited(j)
	if r.c.order.urgent(j, Reduce) || r.idle(j) && wait >= r.c.heartbeatInterval() {
		return 2
	}
	l, rest := r.level[j.index], wait
	for l < 2 && rest >= r.length(l) {
		rest -= r.length(l)
		l++
	}
	return l
}

// idle tells whether all that is left to do for j is its reduces, with room for all of them in the
// cluster. Then every node with a free slot has asked within a heartbeat interval, and waiting for
// longer is a loss. Waits that the policy sets are kept to.
func (r *cogrs) idle(j *job) bool {
	w := &j.w[Reduce]
	return r.pol.Waits == [2]time.Duration{} && j.unfinished(Map) == 0 && r.c.slots[Reduce]-r.c.running[Reduce] >= w.waiting()*int(j.slots)
}

// worth is the difference in score that is not worth waiting for.
func (r *cogrs) worth(g *gravity.Outputs, i int32) float64 {
	return r.pol.Theta * float64(int64(r.levels)*g.Total(i))
}

// cap is how many of a job's reduces one node may get: its part of them, and half as many again.
func (r *cogrs) cap(j *job, g *gravity.Outputs) int32 {
	nodes := min(r.c.live, g.Feeders())
	if r.pol.SkewCap < 0 || nodes == 0 {
		return math.MaxInt32
	}
	return int32(max(1, math.Ceil(r.pol.SkewCap*float64(len(j.w[Reduce].tasks))/float64(nodes)-1e-9)))
}

// on is the number of reduces of j on n, done ones included.
func (r *cogrs) on(j *job, n *node) int32 {
	if !r.asked[0].Has(int32(n.id), j.index) {
		return 0 // a job is marked for the nodes that have some
	}
	return r.of[j.index].launched.of(int32(n.id))
}

// count counts a reduce of j on n (1), or one that has come to nothing (-1).
func (r *cogrs) count(j *job, n NodeID, sign int32) {
	r.mark(j, 0, int32(n))
	of := r.of[j.index]
	r.fill(j, int32(n), of.launched.add(int32(n), sign))
}

// offer launches a reduce of j on n, or refuses:
//
//  1. while nothing is known of the input, or no node is better by enough, the largest reduce goes
//     anywhere;
//  2. a node that has its part of the job's reduces is refused as long as the job waits;
//  3. else the reduce is chosen that n is good enough for, at the level that the wait allows.
func (r *cogrs) offer(j *job, n *node) bool {
	r.askOf = nil
	r.pendingChange(j)
	g := r.c.outputsOf(j)
	if g == nil || g.Known() == 0 {
		return r.start(j, n, j.w[Reduce].pending.First(), 2, CauseNoGain)
	}
	p := r.planFor(j)
	level := r.allowed(j)
	limit := r.cap(j, g)
	if level < 2 && r.on(j, n) >= limit {
		return r.refuse(j, n, CausePlacementCap)
	}
	if p.flat {
		return r.start(j, n, p.largest(&j.w[Reduce].pending), level, CauseNoGain)
	}
	i, at := r.choose(j, n, level, limit)
	switch {
	case i < 0:
		r.arm(j, level, limit)
		return r.refuse(j, n, CauseGravityWait)
	case at == 0:
		return r.start(j, n, i, 0, CauseGravity)
	}
	return r.start(j, n, i, at, CauseWaited)
}

func (r *cogrs) accepts(j *job, n *node) bool {
	r.askOf = nil
	r.pendingChange(j)
	g := r.c.outputsOf(j)
	if g == nil || g.Known() == 0 {
		return true
	}
	level, limit := r.allowed(j), r.cap(j, g)
	if level < 2 && r.on(j, n) >= limit {
		return false
	}
	if r.planFor(j).flat {
		return true
	}
	i, _ := r.choose(j, n, level, limit)
	return i >= 0
}

// start launches reduce i of j on n.
func (r *cogrs) start(j *job, n *node, i int32, l Locality, why Cause) bool {
	i = r.c.selected(j, Reduce, n, i, AnyPlace)
	reason := Reason{Cause: why}
	if why == CauseWaited {
		reason.Wait = r.credited(j)
	}
	r.count(j, n.id, 1)
	var placed *Placed
	if r.c.cfg.Events != nil {
		placed = r.explain(j, i, n)
	}
	r.clock.launch(j.index)
	r.clock.restart(j.index)
	if why == CauseNoGain {
		l = 0
	}
	r.level[j.index] = l
	r.c.launch(j, Reduce, i, n, AnyPlace, reason, placed)
	if r.planOf(j).judged && r.clock.plain.Has(j.index) { // it waits for the next, most likely
		r.arm(j, r.allowed(j), r.cap(j, r.c.outputsOf(j)))
	}
	return true
}

func (r *cogrs) refuse(j *job, n *node, why Cause) bool {
	wait := r.credited(j)
	r.clock.refuse(j.index)
	var placed func() *Placed
	if r.c.tells() {
		placed = func() *Placed { return r.awaited(j, n) }
	}
	return r.c.skipAt(j, n, Reduce, Reason{Cause: why, Wait: wait}, r.c.now+max(0, r.length(0)+r.length(1)-wait), r.allowed(j), placed)
}

// reduceGone gives n its part of the job's reduces back.
func (r *cogrs) reduceGone(j *job, n *node) { r.count(j, n.id, -1) }

// copied counts a copy as a reduce on n.
func (r *cogrs) copied(j *job, n *node) { r.count(j, n.id, 1) }

// outputsChanged ends the arms of a job that an offer may answer otherwise than before: its plan is
// to be made anew, or all its maps are done.
func (r *cogrs) outputsChanged(j *job, gone bool) {
	p := r.planOf(j)
	switch {
	case gone:
		p.made, p.judged = false, false
		r.disarm(j)
	case !r.armed(j):
	case j.unfinished(Map) == 0 || p.stale(r.c.outputsOf(j).Known(), len(j.w[Map].tasks)):
		r.disarm(j)
	default:
		r.setLimit(j, r.cap(j, r.c.outputsOf(j)))
	}
}

// took keeps the waits of a former rule of the kind, and counts the reduces anew.
func (r *cogrs) took(former reduceRule) {
	if old, ok := former.(*cogrs); ok {
		r.level = old.level
		r.clock.took(&old.clock)
		last := int32(64*len(r.clock.ready) - 1) // more jobs may have been there than there are
		r.wide.Widen(last)
		for _, m := range []*index.BitMatrix{&r.asked[0], &r.asked[1], &r.takes, &r.full} {
			m.Widen(last)
		}
	}
	for _, j := range r.c.active {
		if j.state.Ended() {
			continue
		}
		for i := range j.w[Reduce].tasks {
			switch t := &j.w[Reduce].tasks[i]; {
			case t.att >= 0:
				for ai := t.att; ai >= 0; ai = r.c.atts[ai].next {
					r.count(j, r.c.atts[ai].node.id, 1)
				}
			case t.state == taskDone && t.node != NoNode:
				r.count(j, t.node, 1)
			}
		}
	}
}

// choose picks the reduce to launch on n and the level at which it is there, or -1. At the center,
// or as good as: the one that has most to lose elsewhere. In the center's rack: the one nearest to
// its input. Else: the one that loses least. Only the last looks at all pending reduces; that comes
// after the waits.
func (r *cogrs) choose(j *job, n *node, level Locality, limit int32) (int32, Locality) {
	g, p := r.c.outputsOf(j), r.planOf(j)
	pending := &j.w[Reduce].pending
	g.Fold()
	best := bestReduce{g: g, reduce: -1}
	for _, h := range r.goodAt(j, n) {
		if !pending.Has(h.reduce) {
			continue
		}
		at, other := r.rivals(j, h.reduce, n, limit)
		if float64(at-h.score) <= r.worth(g, h.reduce) {
			best.offer(h.reduce, h.score-other)
		}
	}
	if best.reduce < 0 && j.w[Reduce].again > 0 { // one that has failed or was lost does not wait
		for i := pending.First(); i >= 0 && best.reduce < 0; i = pending.Next(i) {
			if j.w[Reduce].tasks[i].tries > 0 {
				best.offer(i, 0)
			}
		}
	}
	if best.reduce < 0 {
		r.rescue(j, n, limit, &best)
	}
	if best.reduce >= 0 || level == 0 {
		return best.reduce, 0
	}
	for _, h := range in(p.byRack, n.groups[1]) {
		if pending.Has(h.reduce) {
			best.offer(h.reduce, r.outlook(j, h.reduce, n))
		}
	}
	if best.reduce >= 0 || level == 1 {
		return best.reduce, 1
	}
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		best.offer(i, r.outlook(j, i, n)-p.best[i][0].score)
	}
	return best.reduce, 2
}

// rivals returns the scores of the best node for reduce i that can still take one, n included, and
// of the best other one; -1 for none.
func (r *cogrs) rivals(j *job, i int32, n *node, limit int32) (at, other int64) {
	at, other = -1, -1
	best := &r.planOf(j).best[i]
	for k := range best { // the best first
		c := &best[k]
		if c.node == nil || !r.reachable(j, c.node, limit) {
			continue
		}
		at = max(at, c.score)
		if c.node != n {
			return at, c.score
		}
	}
	return at, other
}

// bestReduce keeps the reduce of greatest value; ties go to the larger input, then to the one
// offered first.
type bestReduce struct {
	g      *gravity.Outputs
	reduce int32
	value  int64
}

func (b *bestReduce) offer(i int32, value int64) {
	if b.reduce < 0 || value > b.value || value == b.value && b.g.Total(i) > b.g.Total(b.reduce) {
		b.reduce, b.value = i, value
	}
}
