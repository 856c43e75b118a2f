package scheduling

import "time"

// timedWait waits for some time per level [Zaharia10 Algorithm 3]. The state of a job is the level
// of its last launch and the time credited since.
//
// A map without a place never waits. In a job that has other maps with places its launch changes
// neither level nor wait.
type timedWait struct {
	greedy
	clock   waitClock
	lengths []time.Duration
	auto    bool
	capped  bool
	of      []mapWait // by index of the job
	known   struct {  // what mapWait.near depends on
		auto time.Duration
		topo int
	}
}

// mapWait is what timedWait keeps of a job. It is small: with thousands of jobs that wait for
// locality, offers that they refuse are most of the work, and then no more than this is read of a
// job, and one bit of the presence of its data.
type mapWait struct {
	waited
	level Locality      // of the last launch of a map with a place; NodeLocal at first
	near  Locality      // the level allowed, at least level, as long as wait is below until
	plain bool          // ready, and only the presence of data at the level allowed decides about a slot
	until time.Duration // 0: near is not known
}

func (t *timedWait) at(j *job) *mapWait { return &t.of[j.index] }

func (t *timedWait) add(j *job) {
	t.of = roomFor(t.of, j.index)
	t.at(j).job = j.index
	t.clock.moved(func(job int32) *waited { return &t.of[job].waited })
}

func (t *timedWait) waits() bool { return true }

func (t *timedWait) changed(j *job, ready, plain bool) {
	w := t.at(j)
	w.ready, w.plain = ready, plain
}

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
			if !j.state.Ended() {
				t.at(j).until = 0
			}
		}
	}
}

func (t *timedWait) end() { t.clock.end() }

// length is the wait of level l.
func (t *timedWait) length(l Locality) time.Duration {
	if t.auto {
		return t.c.autoWait()
	}
	if int(l) < len(t.lengths) {
		return t.lengths[l]
	}
	return 0
}

// allowed starts at the level of the last launch and goes up for each wait that is used up: after a
// node-local launch racks are allowed after W1, anything after W1+W2; after a rack-local launch
// anything after W2.
func (t *timedWait) allowed(j *job, _ *node) Locality {
	if !j.located || t.c.order.urgent(j, Map) {
		return t.c.far
	}
	t.foresee(j)
	return t.at(j).near
}

// foresee works out which level a job is allowed and for how long.
func (t *timedWait) foresee(j *job) {
	w := t.at(j)
	l, until := w.level, time.Duration(0)
	for ; l < t.c.far; l++ {
		if until += t.length(l); w.wait < until {
			break
		}
	}
	w.near, w.until = l, until
	if l == t.c.far || j.byPlace.topo != t.c.topo { // the job must be asked
		w.until = 0
	}
}

func (t *timedWait) passOver(job int32, n *node) bool {
	w := &t.of[job]
	if !w.plain {
		return false
	}
	if w.refused != t.c.beat {
		if w.wait >= w.until || t.c.near[w.near].Has(n.groups[w.near], job) {
			return false
		}
		t.clock.refuse(&w.waited)
	}
	return true
}

func (t *timedWait) stands(j *job) bool { return t.at(j).refused == t.c.beat }

func (t *timedWait) refused(j *job) { t.clock.refuse(&t.at(j).waited) }

func (t *timedWait) launched(j *job, l Locality) {
	w := t.at(j)
	w.launched = t.c.beat
	if l == AnyPlace {
		if !j.located {
			w.level, w.wait, w.until, w.skipped = t.c.far, 0, 0, false
		}
		return
	}
	if t.capped && l <= w.level && w.refused > 0 && t.c.beat-w.refused < uint64(t.c.live) {
		return // an offer was refused in the last round of heartbeats: the wait goes on
	}
	w.level, w.wait, w.skipped = l, 0, false
	t.foresee(j)
}

func (t *timedWait) why(j *job, l Locality) Reason {
	r := t.greedy.why(j, l)
	if r.Cause == CauseGreedy {
		r = Reason{Cause: CauseWaited, Wait: t.at(j).wait}
	}
	return r
}

func (t *timedWait) waiting(j *job) (Reason, time.Duration) {
	w := t.at(j)
	until := time.Duration(0)
	for l := w.level; l < t.c.far && w.wait >= until; l++ {
		until += t.length(l)
	}
	return Reason{Cause: CauseWaiting, Wait: w.wait}, t.c.now + until - w.wait
}

func (t *timedWait) view(j *job) LocalityView {
	w := t.at(j)
	return LocalityView{Level: w.level, Wait: w.wait, Skipped: w.skipped}
}

func (t *timedWait) took(former localityRule) {
	old, ok := former.(*timedWait)
	if !ok {
		return
	}
	t.of = old.of
	for _, j := range t.c.active {
		if !j.state.Ended() {
			w := t.at(j)
			w.forget()
			w.until = 0
		}
	}
}
