package scheduling

import (
	"cmp"
	"math"
	"time"
)

// cogrs launches each reduce at, or near, the center of gravity of its input [Hammoud12]: a slot on
// a node that is worse by more than Theta is refused for a bounded time, first unless it is
// (nearly) the center, then unless it is in the center's rack. LARTS is the same with the node that
// holds most as center [Hammoud11]. A job with nothing to gain anywhere never waits. How long to
// wait for the center, the papers do not say; the waits and levels are those of maps.
type cogrs struct {
	anyNode
	clock  offerClock
	pol    ReducePolicy
	levels int // that count in the score
}

func newCoGRS(a anyNode, p ReducePolicy) *cogrs {
	p.Theta = max(0, cmp.Or(p.Theta, 0.05))
	p.SkewCap = cmp.Or(p.SkewCap, 1.5)
	r := &cogrs{anyNode: a, clock: offerClock{c: a.c}, pol: p, levels: int(a.c.far)}
	if p.Rule == LARTS {
		r.levels = 1
	}
	return r
}

func (r *cogrs) begin() { r.clock.begin() }
func (r *cogrs) end()   { r.clock.end() }

// length is the wait of a level.
func (r *cogrs) length(l Locality) time.Duration {
	if w := r.pol.Waits[l]; w != 0 {
		return max(0, w)
	}
	return r.c.autoWait()
}

// allowed is 0: at the center; 1: in its rack; 2: anywhere.
func (r *cogrs) allowed(j *job) Locality {
	w := j.wait[Reduce]
	if j.pool != nil && j.pool.urgent[Reduce] || r.idle(j) && w.wait >= r.c.heartbeatInterval() {
		return 2
	}
	l, rest := w.level, w.wait
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

// cap is how many of a job's reduces one node may get: its part of them, and half as many again.
func (r *cogrs) cap(g *gravity) int32 {
	nodes := min(r.c.live, len(g.feeders))
	if r.pol.SkewCap < 0 || nodes == 0 {
		return math.MaxInt32
	}
	return int32(max(1, math.Ceil(r.pol.SkewCap*float64(g.reduces)/float64(nodes)-1e-9)))
}

func (r *cogrs) offer(j *job, n *node) bool {
	r.catchUp(j)
	g := j.gravity
	if g == nil || g.known == 0 {
		return r.start(j, n, j.w[Reduce].pending.first(), 2, CauseNoGain)
	}
	p := r.planFor(j)
	level := r.allowed(j)
	limit := r.cap(g)
	if level < 2 && g.on(n) >= limit {
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
	r.catchUp(j)
	g := j.gravity
	if g == nil || g.known == 0 {
		return true
	}
	level, limit := r.allowed(j), r.cap(g)
	if level < 2 && g.on(n) >= limit {
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
	w := j.wait[Reduce]
	reason := Reason{Cause: why}
	if why == CauseWaited {
		reason.Wait = w.wait
	}
	if j.gravity == nil {
		j.gravity = newGravity(len(j.w[Map].tasks), len(j.w[Reduce].tasks))
	}
	j.gravity.place(n, 1)
	r.c.mark(j, 0, int32(n.id))
	var placed *Placed
	if r.c.cfg.Events != nil {
		placed = r.explain(j.gravity, i, n)
	}
	w.level, w.wait, w.until, w.skipped, w.launched = l, 0, 0, false, r.c.beat
	if why == CauseNoGain {
		w.level = 0
	}
	r.c.launch(j, Reduce, i, n, AnyPlace, reason, placed)
	return true
}

// explain says how far from its center of gravity reduce i is on n.
func (r *cogrs) explain(g *gravity, i int32, n *node) *Placed {
	p := &Placed{Here: g.wtnd(i, n, bytesOnly)}
	if c := g.center(i, r.levels); c != nil {
		p.Center, p.AtCenter = c.name, g.wtnd(i, c, bytesOnly)
	}
	return p
}

func bytesOnly(b int64) int64 { return b }

func (r *cogrs) refuse(j *job, n *node, why Cause) bool {
	w := j.wait[Reduce]
	r.clock.refuse(w)
	return r.c.skip(j, n, Reduce, Reason{Cause: why, Wait: w.wait}, r.c.now+max(0, r.length(0)+r.length(1)-w.wait))
}
