package engine

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// Delay scheduling [Zaharia10 §3]: a job that has no map near enough to a node lets the slot pass to
// the next job. Numbers are lines of the paper's algorithms, counted from their first one. Algorithm 1,
// the walk over the jobs, is Core.round; docs/papers.md has all beside each other.

// skipCount lets a number of offers pass per level [Zaharia10 Algorithm 2; two levels: §3.6]. A
// launch at some level starts the counts of that level and the wider ones anew; a launch that is
// not local leaves the node count alone.
type skipCount struct {
	c      *Core
	limits []int // D, by level; nil: each job has its own
	of     records[skips]
}

// skips is what skipCount keeps of a job.
type skips struct {
	count [maxLevels]int32 // offers refused since the last launch at the level or nearer
	own   int              // its limit at a cluster of so many nodes, if limits is nil
	nodes int
}

func newSkipCount(c *Core, p LocalityPolicy, former placement) placement {
	s := &skipCount{c: c, limits: p.Skips}
	if !p.Auto && s.limits == nil {
		s.limits = []int{}
	}
	if old, ok := former.(*skipCount); ok {
		s.of = slices.Clone(old.of)
	}
	return s
}

func (s *skipCount) place(j *job, n *node) proposal {
	level := s.level(j) // 10
	if int(level) == s.levels() || !j.located {
		level = s.c.far // 11
	}
	return s.c.nearest(j, n, level, CauseWaited) // 6, 9
}

func (s *skipCount) launched(j *job, _ *node, l Locality) {
	if l >= 0 {
		clear(s.of.of(j).count[l:]) // 8
	}
}

func (s *skipCount) refused(j *job) { s.of.of(j).count[s.level(j)]++ } // 13

// level is the number of levels whose count is used up.
func (s *skipCount) level(j *job) Locality {
	count, l := &s.of.of(j).count, 0
	for l < s.levels() && int(count[l]) >= s.limit(j, l) {
		l++
	}
	return Locality(l)
}

// levels is how many levels have a limit.
func (s *skipCount) levels() int {
	if s.limits != nil {
		return len(s.limits)
	}
	return 1
}

// autoLocality is the part of a job's maps that shall run on their data under Auto.
const autoLocality = 0.95

// limit is D at level l: how many offers j lets pass.
func (s *skipCount) limit(j *job, l int) int {
	if s.limits != nil {
		return s.limits[l]
	}
	of := s.of.of(j)
	if of.nodes != s.c.live {
		of.nodes = s.c.live
		of.own = max(0, delaymath.Skips(autoLocality, j.spec.Maps, max(1, s.c.live), j.replicas()))
	}
	return of.own
}

func (s *skipCount) begin()        {}
func (s *skipCount) again() bool   { return true }
func (s *skipCount) remove(j *job) { s.of.remove(j) }

func (s *skipCount) view(j *job) (LocalityView, time.Duration) {
	n := int32(0)
	for _, count := range s.of.of(j).count {
		n += count
	}
	return LocalityView{Skips: int(n)}, 0
}

// timedWait waits for some time per level [Zaharia10 Algorithm 3].
//
// A map without a place never waits. In a job that has other maps with places its launch changes
// neither level nor wait.
type timedWait struct {
	waits
	lengths []time.Duration // W1, W2, … by level
	auto    bool
	capped  bool
}

func newTimedWait(c *Core, p LocalityPolicy, former placement) placement {
	t := &timedWait{waits: waits{c: c}, lengths: p.Waits, auto: p.Auto, capped: p.Capped}
	if old, ok := former.(*timedWait); ok {
		t.takeOver(&old.waits)
	}
	return t
}

// place allows the level of the last launch, and a wider one for each wait that is used up: after a
// node-local launch racks after W1, anything after W1 + W2; after a rack-local one anything after
// W2. The nearest map within it is launched.
func (t *timedWait) place(j *job, n *node) proposal {
	w, far := t.of.of(j), t.c.far
	level, left := w.level, w.wait
	if !j.located || t.c.order.urgent(j, Map) {
		level = far
	}
	for ; level < far && left >= t.length(level); level++ { // 8, 11, 14
		left -= t.length(level)
	}
	return t.c.nearest(j, n, level, CauseWaited) // 10, 13, 16
}

// launched starts the wait of the level anew. Under the cap (ours) it runs on over a launch that is
// near enough, if an offer was refused in the last round of heartbeats.
func (t *timedWait) launched(j *job, _ *node, l Locality) {
	w := t.of.of(j)
	w.launched, w.skipped = t.c.beat, false
	switch {
	case l == AnyPlace && j.located:
		return
	case l == AnyPlace:
		l = t.c.far
	case t.capped && l <= w.level && w.refused > 0 && t.c.beat-w.refused < uint64(t.c.live):
		return
	}
	w.level, w.wait = l, 0 // 9, 12, 15
}

// length is W of a level.
func (t *timedWait) length(l Locality) time.Duration {
	if t.auto {
		return t.c.autoWait()
	}
	if int(l) < len(t.lengths) {
		return t.lengths[l]
	}
	return 0
}

func (t *timedWait) view(j *job) (LocalityView, time.Duration) {
	w, until := t.of.of(j), time.Duration(0)
	for l := w.level; l < t.c.far && w.wait >= until; l++ {
		until += t.length(l)
	}
	return LocalityView{Level: w.level, Wait: w.wait, Skipped: w.skipped}, t.c.now + until - w.wait
}

// waits credits jobs with the time that they wait [Zaharia10 Algorithm 3]: one that was passed over
// at a heartbeat is credited, at the next one, the time between the two. Only heartbeats that offer
// a slot of the kind count; Hadoop's code also counts those that offer none, by which the wait all
// but stops on a cluster with busy maps and idle reduces.
type waits struct {
	c     *Core
	of    records[delayed]
	list  []int32       // the jobs that are skipped, so that line 4 costs no look at the others
	begun uint64        // the heartbeat (Core.beat)
	last  time.Duration // when it was
}

// delayed is what Algorithm 3 keeps of a job (lines 1, 2).
type delayed struct {
	wait     time.Duration
	level    Locality // of the last launch; NodeLocal at first
	skipped  bool     // at the last heartbeat that offered a slot
	launched uint64   // the heartbeat (Core.beat) of the last launch
	refused  uint64   // and of the last refusal; 0 if there was none
}

// begin credits the jobs that were skipped.
func (s *waits) begin() {
	if s.begun == s.c.beat {
		return
	}
	for _, index := range s.list {
		if w := &s.of[index]; w.skipped {
			w.wait, w.skipped = w.wait+s.c.now-s.last, false // 4
		}
	}
	s.list, s.begun, s.last = s.list[:0], s.c.beat, s.c.now
}

// refused skips the job, unless it has launched in this heartbeat.
func (s *waits) refused(j *job) {
	w := s.of.of(j)
	w.refused = s.c.beat
	if w.launched != s.c.beat && !w.skipped {
		w.skipped = true // 18
		s.list = append(s.list, j.index)
	}
}

func (s *waits) again() bool   { return false }
func (s *waits) remove(j *job) { s.of.remove(j) }

// takeOver keeps what a former policy has credited, and nothing of the offers before.
func (s *waits) takeOver(old *waits) {
	for _, w := range old.of {
		s.of = append(s.of, delayed{wait: w.wait, level: w.level})
	}
}
