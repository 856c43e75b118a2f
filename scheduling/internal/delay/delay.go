// Package delay is delay scheduling: a job lets slots pass that are far from its data, for some
// offers or for some time [Zaharia10].
package delay

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Delay scheduling [Zaharia10 §3]: a job that has no map near enough to a node lets the slot pass to
// the next job. Numbers are lines of the paper's algorithms, counted from their first one. Algorithm 1,
// the walk over the jobs, is Core.round; docs/papers.md has all beside each other.

// SkipCount lets a number of offers pass per level [Zaharia10 Algorithm 2; two levels: §3.6]. A
// launch at some level starts the counts of that level and the wider ones anew; a launch that is
// not local leaves the node count alone.
type SkipCount struct {
	c      *core.Core
	Limits []int // D, by level; nil: each job has its own
	Of     core.Records[skips]
}

// skips is what skipCount keeps of a job.
type skips struct {
	Count [core.MaxLevels]int32 // offers refused since the last launch at the level or nearer
	own   int                   // its limit at a cluster of so many nodes, if limits is nil
	nodes int
}

// NewSkipCount makes waits by refused offers, and takes over those of a former placement.
func NewSkipCount(c *core.Core, p core.LocalityPolicy, former core.Placement) core.Placement {
	s := &SkipCount{c: c, Limits: p.Skips}
	if !p.Auto && s.Limits == nil {
		s.Limits = []int{}
	}
	if old, ok := former.(*SkipCount); ok {
		s.Of = slices.Clone(old.Of)
	}
	return s
}

// Place implements core.Placement.
func (s *SkipCount) Place(j *core.Job, n *core.NodeState) core.Proposal {
	level := s.level(j) // 10
	if int(level) == s.levels() || !j.Located {
		level = s.c.Far // 11
	}
	return s.c.Nearest(j, n, level, core.CauseWaited) // 6, 9
}

// Launched implements core.Placement.
func (s *SkipCount) Launched(j *core.Job, _ *core.NodeState, l core.Locality) {
	if l >= 0 {
		clear(s.Of.Of(j).Count[l:]) // 8
	}
}

// Refused implements core.Placement.
func (s *SkipCount) Refused(j *core.Job) { s.Of.Of(j).Count[s.level(j)]++ } // 13

// level is the number of levels whose count is used up.
func (s *SkipCount) level(j *core.Job) core.Locality {
	count, l := &s.Of.Of(j).Count, 0
	for l < s.levels() && int(count[l]) >= s.limit(j, l) {
		l++
	}
	return core.Locality(l)
}

// levels is how many levels have a limit.
func (s *SkipCount) levels() int {
	if s.Limits != nil {
		return len(s.Limits)
	}
	return 1
}

// AutoLocality is the part of a job's maps that shall run on their data under Auto.
const AutoLocality = 0.95

// limit is D at level l: how many offers j lets pass.
func (s *SkipCount) limit(j *core.Job, l int) int {
	if s.Limits != nil {
		return s.Limits[l]
	}
	of := s.Of.Of(j)
	if of.nodes != s.c.Live {
		of.nodes = s.c.Live
		of.own = max(0, delaymath.Skips(AutoLocality, j.Spec.Maps, max(1, s.c.Live), j.Replicas()))
	}
	return of.own
}

// Begin implements core.Placement.
func (s *SkipCount) Begin() {}

// Again implements core.Placement.
func (s *SkipCount) Again() bool { return true }

// Remove implements core.Placement.
func (s *SkipCount) Remove(j *core.Job) { s.Of.Remove(j) }

// View implements core.Placement.
func (s *SkipCount) View(j *core.Job) (core.LocalityView, time.Duration) {
	n := int32(0)
	for _, count := range s.Of.Of(j).Count {
		n += count
	}
	return core.LocalityView{Skips: int(n)}, 0
}

// TimedWait waits for some time per level [Zaharia10 Algorithm 3].
//
// A map without a place never waits. In a job that has other maps with places its launch changes
// neither level nor wait.
type TimedWait struct {
	Waits
	lengths []time.Duration // W1, W2, … by level
	auto    bool
	Capped  bool
}

// NewTimedWait makes waits by time, and takes over those of a former placement.
func NewTimedWait(c *core.Core, p core.LocalityPolicy, former core.Placement) core.Placement {
	t := &TimedWait{Waits: Waits{C: c}, lengths: p.Waits, auto: p.Auto, Capped: p.Capped}
	if old, ok := former.(*TimedWait); ok {
		t.TakeOver(&old.Waits)
	}
	return t
}

// Place allows the level of the last launch, and a wider one for each wait that is used up: after a
// node-local launch racks after W1, anything after W1 + W2; after a rack-local one anything after
// W2. The nearest map within it is launched.
func (t *TimedWait) Place(j *core.Job, n *core.NodeState) core.Proposal {
	w, far := t.Of.Of(j), t.C.Far
	level, left := w.Level, w.Wait
	if !j.Located || t.C.Order.Urgent(j, core.Map) {
		level = far
	}
	for ; level < far && left >= t.length(level); level++ { // 8, 11, 14
		left -= t.length(level)
	}
	return t.C.Nearest(j, n, level, core.CauseWaited) // 10, 13, 16
}

// Launched starts the wait of the level anew. Under the cap (ours) it runs on over a launch that is
// near enough, if an offer was refused in the last round of heartbeats.
func (t *TimedWait) Launched(j *core.Job, _ *core.NodeState, l core.Locality) {
	w := t.Of.Of(j)
	w.Launched, w.Skipped = t.C.Beat, false
	switch {
	case l == core.AnyPlace && j.Located:
		return
	case l == core.AnyPlace:
		l = t.C.Far
	case t.Capped && l <= w.Level && w.Refused > 0 && t.C.Beat-w.Refused < uint64(t.C.Live):
		return
	}
	w.Level, w.Wait = l, 0 // 9, 12, 15
}

// length is W of a level.
func (t *TimedWait) length(l core.Locality) time.Duration {
	if t.auto {
		return t.C.AutoWait()
	}
	if int(l) < len(t.lengths) {
		return t.lengths[l]
	}
	return 0
}

// View implements core.Placement.
func (t *TimedWait) View(j *core.Job) (core.LocalityView, time.Duration) {
	w, until := t.Of.Of(j), time.Duration(0)
	for l := w.Level; l < t.C.Far && w.Wait >= until; l++ {
		until += t.length(l)
	}
	return core.LocalityView{Level: w.Level, Wait: w.Wait, Skipped: w.Skipped}, t.C.Now + until - w.Wait
}

// Waits credits jobs with the time that they wait [Zaharia10 Algorithm 3]: one that was passed over
// at a heartbeat is credited, at the next one, the time between the two. Only heartbeats that offer
// a slot of the kind count; Hadoop's code also counts those that offer none, by which the wait all
// but stops on a cluster with busy maps and idle reduces.
type Waits struct {
	C     *core.Core
	Of    core.Records[Delayed]
	list  []int32       // the jobs that are skipped, so that line 4 costs no look at the others
	begun uint64        // the heartbeat (Core.beat)
	Last  time.Duration // when it was
}

// Delayed is what Algorithm 3 keeps of a job (lines 1, 2).
type Delayed struct {
	Wait     time.Duration
	Level    core.Locality // of the last launch; NodeLocal at first
	Skipped  bool          // at the last heartbeat that offered a slot
	Launched uint64        // the heartbeat (Core.beat) of the last launch
	Refused  uint64        // and of the last refusal; 0 if there was none
}

// Begin credits the jobs that were skipped.
func (s *Waits) Begin() {
	if s.begun == s.C.Beat {
		return
	}
	for _, index := range s.list {
		if w := &s.Of[index]; w.Skipped {
			w.Wait, w.Skipped = w.Wait+s.C.Now-s.Last, false // 4
		}
	}
	s.list, s.begun, s.Last = s.list[:0], s.C.Beat, s.C.Now
}

// Refused skips the job, unless it has launched in this heartbeat.
func (s *Waits) Refused(j *core.Job) {
	w := s.Of.Of(j)
	w.Refused = s.C.Beat
	if w.Launched != s.C.Beat && !w.Skipped {
		w.Skipped = true // 18
		s.list = append(s.list, j.Index)
	}
}

// Again implements core.Placement.
func (s *Waits) Again() bool { return false }

// Remove implements core.Placement.
func (s *Waits) Remove(j *core.Job) { s.Of.Remove(j) }

// TakeOver keeps what a former policy has credited, and nothing of the offers before.
func (s *Waits) TakeOver(old *Waits) {
	for _, w := range old.Of {
		s.Of = append(s.Of, Delayed{Wait: w.Wait, Level: w.Level})
	}
}
