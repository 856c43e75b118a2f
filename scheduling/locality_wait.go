package scheduling

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

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

// mapWait is what timedWait keeps of a job beside what the clock does.
type mapWait struct {
	level Locality // of the last launch of a map with a place; NodeLocal at first
	near  Locality // the level allowed, at least level, as long as it is foreseen
}

func (t *timedWait) at(j *job) *mapWait { return &t.of[j.index] }

func (t *timedWait) add(j *job) {
	t.of = roomFor(t.of, j.index)
	t.clock.add(j.index)
}

func (t *timedWait) waits() bool { return true }

func (t *timedWait) changed(j *job, ready, plain bool) {
	t.clock.changed(j.index, ready, plain)
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
				t.clock.foresee(j.index, 0)
			}
		}
	}
}

func (t *timedWait) end() {
	if t.capped {
		t.clock.stamp()
	}
	t.clock.end()
}

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
	w, wait := t.at(j), t.clock.wait(j.index)
	l, until := w.level, time.Duration(0)
	for ; l < t.c.far; l++ {
		if until += t.length(l); wait < until {
			break
		}
	}
	w.near = l
	if l == t.c.far || j.byPlace.topo != t.c.topo { // the job must be asked
		until = 0
	}
	t.clock.foresee(j.index, until)
}

func (t *timedWait) next(l *jobList, at *index.Cursor, n *node) (int32, bool) {
	local := t.c.near[0].Row(int32(n.id))
	foreseen, plain, refused, of := t.clock.foreseen, t.clock.plain, t.clock.refused, t.of
	for jobs := l.Rest(at); len(jobs) > 0; jobs = l.Rest(at) {
		for i, job := range jobs {
			word, bit := uint(job)>>6, uint64(1)<<(job&63)
			if refused[word]&plain[word]&bit != 0 {
				continue // as before in this heartbeat
			}
			near := of[job].near
			switch {
			case foreseen[word]&plain[word]&bit == 0,
				near == NodeLocal && local[word]&bit != 0,
				near > NodeLocal && t.c.near[near].Has(n.groups[near], job):
				l.Skip(at, i+1)
				return job, true
			}
			refused[word] |= bit
		}
		l.Skip(at, len(jobs))
	}
	return 0, false
}

func (t *timedWait) stands(j *job) bool { return t.clock.refused.Has(j.index) }

func (t *timedWait) refused(j *job) { t.clock.refuse(j.index) }

func (t *timedWait) launched(j *job, l Locality) {
	w := t.at(j)
	t.clock.launch(j.index)
	if l == AnyPlace {
		if !j.located {
			w.level = t.c.far
			t.clock.restart(j.index)
		}
		return
	}
	if t.capped && l <= w.level {
		if last := t.clock.lastRefusal(j.index); last > 0 && t.c.beat-last < uint64(t.c.live) {
			return // an offer was refused in the last round of heartbeats: the wait goes on
		}
	}
	w.level = l
	t.clock.restart(j.index)
	t.foresee(j)
}

func (t *timedWait) why(j *job, l Locality) Reason {
	r := t.greedy.why(j, l)
	if r.Cause == CauseGreedy {
		r = Reason{Cause: CauseWaited, Wait: t.clock.wait(j.index)}
	}
	return r
}

func (t *timedWait) waiting(j *job) (Reason, time.Duration) {
	wait, until := t.clock.wait(j.index), time.Duration(0)
	for l := t.at(j).level; l < t.c.far && wait >= until; l++ {
		until += t.length(l)
	}
	return Reason{Cause: CauseWaiting, Wait: wait}, t.c.now + until - wait
}

func (t *timedWait) view(j *job) LocalityView {
	return LocalityView{Level: t.at(j).level, Wait: t.clock.wait(j.index), Skipped: t.clock.skipped.Has(j.index)}
}

func (t *timedWait) took(former localityRule) {
	if old, ok := former.(*timedWait); ok {
		t.of = old.of
		t.clock.took(&old.clock)
	}
}
