package scheduling

import "time"

// timedWait waits for some time per level [Zaharia10 Algorithm 3]. The state of a job is the level
// of its last launch and the time credited since.
//
// A map without a place never waits. In a job that has other maps with places its launch changes
// neither level nor wait.
type timedWait struct {
	c      *Core
	clock  offerClock
	waits  []time.Duration
	auto   bool
	capped bool
	known  struct { // what the levels kept in waitStates depend on
		auto time.Duration
		topo int
	}
}

func (t *timedWait) end() { t.clock.end() }

func (t *timedWait) begin() {
	if t.clock.open {
		return
	}
	t.clock.begin()
	now := t.known
	now.topo = t.c.topo
	if t.auto {
		now.auto = t.c.autoWait()
	}
	if now != t.known {
		t.known = now
		for _, j := range t.c.active {
			j.wait[Map].until = 0
		}
	}
}

// length is the wait of level l.
func (t *timedWait) length(l Locality) time.Duration {
	if t.auto {
		return t.c.autoWait()
	}
	if int(l) < len(t.waits) {
		return t.waits[l]
	}
	return 0
}

// allowed starts at the level of the last launch and goes up for each wait that is used up: after a
// node-local launch racks are allowed after W1, anything after W1+W2; after a rack-local launch
// anything after W2.
func (t *timedWait) allowed(j *job) Locality {
	if !j.located || j.pool != nil && j.pool.urgent[Map] {
		return t.c.far
	}
	t.foresee(j)
	return j.wait[Map].near
}

// foresee works out which level a job is allowed and for how long.
func (t *timedWait) foresee(j *job) {
	w := j.wait[Map]
	l, until := w.level, time.Duration(0)
	for ; l < t.c.far; l++ {
		if until += t.length(l); w.wait < until {
			break
		}
	}
	w.near, w.until = l, until
	if l == t.c.far || j.index.topo != t.c.topo { // the job must be asked
		w.until = 0
	}
}

func (t *timedWait) passes(w *waitState, n *node) bool {
	if w.refused != t.c.beat {
		if w.wait >= w.until || t.c.near[w.near].has(n.groups[w.near], w.seat) {
			return false
		}
		t.clock.refuse(w)
	}
	return true
}

func (t *timedWait) refused(j *job) { t.clock.refuse(j.wait[Map]) }

func (t *timedWait) launched(j *job, l Locality) {
	w := j.wait[Map]
	if l == AnyPlace {
		w.launched = t.c.beat
		if !j.located {
			w.level, w.wait, w.until, w.skipped = t.c.far, 0, 0, false
		}
		return
	}
	w.launched = t.c.beat
	if t.capped && l <= w.level && w.refused > 0 && t.c.beat-w.refused < uint64(t.c.live) {
		return // an offer was refused in the last round of heartbeats: the wait goes on
	}
	w.level, w.wait, w.skipped = l, 0, false
	t.foresee(j)
}

func (t *timedWait) why(j *job, l Locality) Reason {
	r := greedy{}.why(j, l)
	if r.Cause == CauseGreedy {
		r = Reason{Cause: CauseWaited, Wait: j.wait[Map].wait}
	}
	return r
}

func (t *timedWait) waiting(j *job) (Reason, time.Duration) {
	w := j.wait[Map]
	until := time.Duration(0)
	for l := w.level; l < t.c.far && w.wait >= until; l++ {
		until += t.length(l)
	}
	return Reason{Cause: CauseWaiting, Wait: w.wait}, t.c.now + until - w.wait
}
