package scheduling

import "time"

// offerClock credits waits as [Zaharia10 Algorithm 3] does: a job that was passed over at one heartbeat is credited, at the next one,
// the time between the two. Only heartbeats that offer a slot of the kind count; Hadoop's code also counts those that
// offer none, by which the wait all but stops on a cluster with busy maps and idle reduces.
type offerClock struct {
	c       *Core
	kind    TaskKind
	last    time.Duration // of the last heartbeat that offered a slot
	skipped []*job        // passed over at it
	open    bool          // this heartbeat has offered a slot
}

// begin credits the jobs passed over at the last heartbeat with an offer.
func (o *offerClock) begin() {
	if o.open {
		return
	}
	o.open = true
	for _, j := range o.skipped {
		if w := &j.wait[o.kind]; w.skipped {
			w.wait += o.c.now - o.last
			w.skipped = false
		}
	}
	clear(o.skipped)
	o.skipped = o.skipped[:0]
	o.last = o.c.now
}

// refuse notes a job that was offered a slot and refused it.
func (o *offerClock) refuse(j *job) {
	if w := &j.wait[o.kind]; w.refused != o.c.beat {
		w.refused = o.c.beat
		o.skipped = append(o.skipped, j)
	}
}

// end marks as passed over the jobs that refused a slot and launched nothing in this heartbeat.
func (o *offerClock) end() {
	if !o.open {
		return
	}
	o.open = false
	kept := o.skipped[:0]
	for _, j := range o.skipped {
		if w := &j.wait[o.kind]; w.launched != o.c.beat && j.launchable(o.kind) {
			w.skipped = true
			kept = append(kept, j)
		}
	}
	o.skipped = kept
}

// timedWait waits for some time per level [Zaharia10 Algorithm 3]. The state of a job is the level of its last launch and the
// time credited since.
//
// A map without a place never waits. In a job that has other maps with places its launch changes neither level nor wait.
type timedWait struct {
	c      *Core
	clock  offerClock
	waits  []time.Duration
	auto   bool
	capped bool
}

func (t *timedWait) begin() { t.clock.begin() }
func (t *timedWait) end()   { t.clock.end() }

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

// allowed starts at the level of the last launch and goes up for each wait that is used up: after a node-local launch racks are
// allowed after W1, anything after W1+W2; after a rack-local launch anything after W2.
func (t *timedWait) allowed(j *job) Locality {
	if !j.located || j.pool != nil && j.pool.urgent[Map] {
		return t.c.far
	}
	w := &j.wait[Map]
	l, rest := w.level, w.wait
	for l < t.c.far && rest >= t.length(l) {
		rest -= t.length(l)
		l++
	}
	return l
}

func (t *timedWait) refused(j *job) { t.clock.refuse(j) }

func (t *timedWait) launched(j *job, l Locality) {
	w := &j.wait[Map]
	if l == AnyPlace {
		w.launched = t.c.beat
		if !j.located {
			w.level, w.wait, w.skipped = t.c.far, 0, false
		}
		return
	}
	w.launched = t.c.beat
	if t.capped && l <= w.level && w.refused > 0 && t.c.beat-w.refused < uint64(t.c.live) {
		return // an offer was refused in the last round of heartbeats: the wait goes on
	}
	w.level, w.wait, w.skipped = l, 0, false
}

func (t *timedWait) why(j *job, l Locality) Reason {
	r := greedy{}.why(j, l)
	if r.Cause == CauseGreedy {
		r = Reason{Cause: CauseWaited, Wait: j.wait[Map].wait}
	}
	return r
}

func (t *timedWait) waiting(j *job) (Reason, time.Duration) {
	w := &j.wait[Map]
	l, rest := w.level, w.wait
	for l < t.c.far && rest >= t.length(l) {
		rest -= t.length(l)
		l++
	}
	return Reason{Cause: CauseWaiting, Wait: w.wait}, t.c.now + t.length(l) - rest
}
