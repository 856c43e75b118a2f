// Package delay implements delay scheduling [Zaharia10]: a job refuses slots far from its data, for
// a number of offers ([SkipCount]) or for some time ([TimedWait]). [Waits] measures that time;
// package cogrs uses it for reduces.
package delay

import (
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// Delay scheduling [Zaharia10 §3]: a job without a map near enough to a node lets the next job have
// the slot. Numbers are lines of the paper's algorithms. Algorithm 1, the walk over the jobs, is
// Core.Round; docs/papers.md shows algorithms and code side by side.

// SkipCount refuses a number of slot offers per level [Zaharia10 Algorithm 2; two levels: §3.6]. A
// launch at a level resets a job's counts for that level and for wider ones. A launch that is not
// node-local keeps the node-local count.
type SkipCount struct {
	c      *core.Core
	Limits []int // by level: offers to refuse, the paper's D; nil: each job has its own
	Of     core.Records[skips]
}

// skips is SkipCount's record of a job.
type skips struct {
	Count [model.MaxLevels]int32 // offers refused since the last launch at the level or nearer
	own   int                    // offers to refuse at its level, if Limits is nil
	nodes int                    // number of live nodes for which own was computed
}

// NewSkipCount returns a SkipCount. If former is a SkipCount too, jobs keep their counts of skips.
func NewSkipCount(c *core.Core, p model.LocalityPolicy, former core.Placement) core.Placement {
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
	level := s.level(j) // line 10
	if int(level) == s.levels() || !j.Located {
		level = model.OffRack // line 11
	}
	return s.c.Nearest(j, n, level, model.CauseWaited) // lines 6, 9
}

// Launched implements core.Placement.
func (s *SkipCount) Launched(j *core.Job, _ *core.NodeState, l model.Locality) {
	if l >= 0 {
		clear(s.Of.Of(j).Count[l:]) // line 8
	}
}

// Refused implements core.Placement.
func (s *SkipCount) Refused(j *core.Job) { s.Of.Of(j).Count[s.level(j)]++ } // line 13

// level returns the widest level at which j may launch now: it has refused enough nearer offers.
func (s *SkipCount) level(j *core.Job) model.Locality {
	count, l := &s.Of.Of(j).Count, 0
	for l < s.levels() && int(count[l]) >= s.limit(j, l) {
		l++
	}
	return model.Locality(l)
}

// levels returns the number of levels at which jobs refuse offers. After these, any slot will do.
func (s *SkipCount) levels() int {
	if s.Limits != nil {
		return len(s.Limits)
	}
	return 1
}

// AutoLocality is the fraction of a job's maps that should run node-local under the policy's Auto.
const AutoLocality = 0.95

// limit returns the number of offers that j refuses at level l, the D of the paper.
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

// CountsSlots implements core.Placement: D is a number of slots.
func (s *SkipCount) CountsSlots() bool { return true }

// Remove implements core.Placement.
func (s *SkipCount) Remove(j *core.Job) { s.Of.Remove(j) }

// View implements core.Placement.
func (s *SkipCount) View(j *core.Job) (view.Locality, time.Duration) {
	n := int32(0)
	for _, count := range s.Of.Of(j).Count {
		n += count
	}
	return view.Locality{Skips: int(n)}, 0
}

// TimedWait waits a time per level [Zaharia10 Algorithm 3].
//
// A map without a place never waits. If other maps of its job have places, launching it changes
// neither the job's level nor its wait.
type TimedWait struct {
	Waits
	lengths []time.Duration // W1, W2, … by level
	auto    bool
	Capped  bool
}

// NewTimedWait returns a TimedWait. If former is a TimedWait too, jobs keep their waits.
func NewTimedWait(c *core.Core, p model.LocalityPolicy, former core.Placement) core.Placement {
	t := &TimedWait{Waits: Waits{C: c}, lengths: p.Waits, auto: p.Auto, Capped: p.Capped}
	if old, ok := former.(*TimedWait); ok {
		t.TakeOver(&old.Waits)
	}
	return t
}

// Place proposes the nearest map within the level that the job may use now. That is the level of
// its last launch, and one more for each wait that is over. After a node-local launch, W1 allows
// the rack and W1 + W2 any node; after a rack-local launch, W2 allows any node.
func (t *TimedWait) Place(j *core.Job, n *core.NodeState) core.Proposal {
	w := t.Of.Of(j)
	level, left := w.Level, w.Wait
	if !j.Located || t.C.Order.Urgent(j, model.Map) {
		level = model.OffRack
	}
	for ; level < model.OffRack && left >= t.length(level); level++ { // lines 8, 11, 14
		left -= t.length(level)
	}
	return t.C.Nearest(j, n, level, model.CauseWaited) // lines 10, 13, 16
}

// Launched restarts the job's wait, at the level of the launch. Capped is our addition: a launch
// within the level does not restart it if the job has refused an offer shortly before. Shortly
// means fewer heartbeats ago than the cluster has nodes.
func (t *TimedWait) Launched(j *core.Job, _ *core.NodeState, l model.Locality) {
	w := t.Of.Of(j)
	w.Launched, w.Skipped = t.C.Beat, false
	switch {
	case l == model.AnyPlace && j.Located:
		return
	case l == model.AnyPlace:
		l = model.OffRack
	case t.Capped && l <= w.Level && w.Refused > 0 && t.C.Beat-w.Refused < uint64(t.C.Live):
		return
	}
	w.Level, w.Wait = l, 0 // lines 9, 12, 15
}

// length returns the wait of a level: W1, W2 and so on; with auto, the wait that the Core computes.
func (t *TimedWait) length(l model.Locality) time.Duration {
	if t.auto {
		return t.C.AutoWait()
	}
	if int(l) < len(t.lengths) {
		return t.lengths[l]
	}
	return 0
}

// View implements core.Placement.
func (t *TimedWait) View(j *core.Job) (view.Locality, time.Duration) {
	w, until := t.Of.Of(j), time.Duration(0)
	for l := w.Level; l < model.OffRack && w.Wait >= until; l++ {
		until += t.length(l)
	}
	return view.Locality{Level: w.Level, Wait: w.Wait, Skipped: w.Skipped}, t.C.Now + until - w.Wait
}

// Waits measures how long each job has waited [Zaharia10 Algorithm 3]. If a job is passed over at a
// heartbeat, its wait grows by the time until the next one. Only heartbeats that offer a slot of
// this kind count. Hadoop's code counts the others too, which almost stops the wait on a cluster
// with busy map slots and idle reduce slots.
type Waits struct {
	C    *core.Core
	Of   core.Records[Delayed]
	list []int32       // the jobs with Skipped set, so that line 4 reads no others
	beat uint64        // the current heartbeat (Core.Beat)
	Last time.Duration // the time of that heartbeat
}

// Delayed is the record that Algorithm 3 keeps of a job (lines 1, 2).
type Delayed struct {
	Wait     time.Duration
	Level    model.Locality // of the last launch; NodeLocal at first
	Skipped  bool           // it was passed over at the last heartbeat that offered a slot
	Launched uint64         // heartbeat (Core.Beat) of the last launch
	Refused  uint64         // heartbeat of the last refusal; 0 if it has not refused
}

// Begin adds the time since the last heartbeat to the wait of each job that was skipped at it.
func (s *Waits) Begin() {
	if s.beat == s.C.Beat {
		return
	}
	for _, index := range s.list {
		if w := &s.Of[index]; w.Skipped {
			w.Wait, w.Skipped = w.Wait+s.C.Now-s.Last, false // line 4
		}
	}
	s.list, s.beat, s.Last = s.list[:0], s.C.Beat, s.C.Now
}

// Refused marks the job as skipped, unless it has launched in this heartbeat.
func (s *Waits) Refused(j *core.Job) {
	w := s.Of.Of(j)
	w.Refused = s.C.Beat
	if w.Launched != s.C.Beat && !w.Skipped {
		w.Skipped = true // line 18
		s.list = append(s.list, j.Index)
	}
}

// CountsSlots implements core.Placement: waits are times, so one refusal per heartbeat is enough.
func (s *Waits) CountsSlots() bool { return false }

// Remove implements core.Placement.
func (s *Waits) Remove(j *core.Job) { s.Of.Remove(j) }

// TakeOver copies the waits of a former policy, but not which jobs it skipped last.
func (s *Waits) TakeOver(old *Waits) {
	for _, w := range old.Of {
		s.Of = append(s.Of, Delayed{Wait: w.Wait, Level: w.Level})
	}
}
