package engine

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/virtual"
)

// patience is how long a new size may wait to be heeded, so that many that come together cost one
// projection.
const patience = 500 * time.Millisecond

// hfsp is the Hadoop Fair Sojourn Protocol: a slot goes to the job that would finish first under
// processor sharing, by its estimated size; larger jobs may be made to give slots back [HFSP §3].
// Maps and reduces are ordered apart. The order "srpt" is the same with the work that is really
// left in place of the projected finish. Numbers in comments are the steps in docs/papers.md.
type hfsp struct {
	simple
	pol     HFSPPolicy
	srpt    bool
	est     virtual.Estimator
	virtual [kinds]*virtual.Cluster
	stale   [kinds]bool          // projected finishes must be worked out anew
	drifted [kinds]bool          // likewise, but that may wait for a moment
	last    [kinds]time.Duration // when they were
	sum     [kinds]time.Duration
	count   [kinds]int64 // tasks that have finished, and their durations in sum
	of      [kinds][]*sized
	all     [kinds][]*sized // those that are not nil
	lists   [kinds]jobList
	needy   [kinds]index.List[*sized] // jobs with tasks to launch or to resume, smallest first
	holders [kinds]index.List[*sized] // jobs with slots that they may lose, largest first
	waits   bool                      // too many suspended tasks
	learned []lesson                  // by place in the slab of attempts
}

// sized is what the order keeps of one kind of a job's tasks: their place in the virtual cluster
// and in the lists, and what is known of their size.
type sized struct {
	job      *job
	v        virtual.Job
	estimate bool            // the size is more than the initial guess
	samples  []time.Duration // lengths of tasks
	worked   time.Duration   // work done by the sample's tasks
	through  int             // of them that have finished
	before   int             // tasks done under a former policy, of which nothing was learnt
	at       int             // in hfsp.all
	listed   index.Spot
	needy    index.Spot
	holds    index.Spot
}

func newHFSP(c *Core, p *Policy) (order, error) {
	o := &hfsp{simple: simple{c}, pol: p.HFSP}
	o.pol.Sample = cmp.Or(o.pol.Sample, 5)
	o.pol.Delta = cmp.Or(o.pol.Delta, time.Minute)
	o.pol.Xi = cmp.Or(o.pol.Xi, 1)
	o.pol.Initial = cmp.Or(o.pol.Initial, time.Minute)
	switch o.pol.Estimator {
	case "", "mean":
		o.est = virtual.Mean
	case "fit":
		o.est = virtual.LogNormal
	default:
		return nil, fmt.Errorf("%w: hfsp: unknown estimator %q", ErrBadConfig, o.pol.Estimator)
	}
	for k := range o.virtual {
		o.virtual[k] = virtual.New(c.now, c.slots[k])
	}
	return o, nil
}

// newSRPT makes the order "srpt": the job with the least work left first, sizes known. It is a
// bound to compare with.
func newSRPT(c *Core, p *Policy) (order, error) {
	o, err := newHFSP(c, p)
	if err != nil {
		return nil, err
	}
	s := o.(*hfsp)
	s.srpt, s.pol.NoTraining = true, true
	return s, nil
}

func (o *hfsp) add(j *job) error {
	o.c.admit(j)
	for k, n := range [kinds]int{j.spec.Maps, j.spec.Reduces} {
		o.of[k] = roomFor(o.of[k], j.index)
		if n == 0 {
			continue
		}
		k := TaskKind(k)
		o.age(k)
		v := &sized{job: j, v: virtual.Job{ID: int64(j.id), Size: n, Weight: 1}, before: j.w[k].done}
		if o.pol.Weighted {
			v.v.Weight = j.spec.Priority.factor()
		}
		o.of[k][j.index] = v
		each := o.guess(j, k, v)
		if !o.srpt && (!math.IsInf(o.pol.Xi, 1) || v.estimate) {
			v.v.Resize(n, each)
			o.virtual[k].Insert(&v.v)
		}
		v.v.Finish = math.MaxInt64
		v.at = len(o.all[k])
		o.all[k] = append(o.all[k], v)
		o.stale[k] = true
	}
	return nil
}

// guess is the duration assumed of each task before any has been measured.
func (o *hfsp) guess(j *job, k TaskKind, v *sized) time.Duration {
	if known := j.taskTime(k); o.pol.NoTraining && known > 0 {
		v.estimate = true
		return known
	}
	v.estimate = o.pol.NoTraining
	mean := o.pol.Initial
	if o.count[k] > 0 {
		mean = o.sum[k] / time.Duration(o.count[k])
	}
	if o.pol.NoTraining || math.IsInf(o.pol.Xi, 1) {
		return mean
	}
	return time.Duration(float64(mean) * o.pol.Xi) // 7
}

// remove forgets a job that has ended. Its virtual work goes on, else the others would get ahead
// unfairly; unless it was given up.
func (o *hfsp) remove(j *job) {
	for k := range TaskKind(kinds) {
		v := o.sized(j, k)
		if v == nil {
			continue
		}
		all := o.all[k]
		last := all[len(all)-1]
		all[v.at], last.at = last, v.at
		all[len(all)-1] = nil
		o.all[k] = all[:len(all)-1]
		o.of[k][j.index] = nil
		if j.state != JobSucceeded {
			o.age(k)
			o.virtual[k].Remove(&v.v)
			o.stale[k] = true
		}
	}
}

// sized finds what is kept of a job that has not ended, nil if it has no task of the kind.
func (o *hfsp) sized(j *job, k TaskKind) *sized { return o.of[k][j.index] }

// age brings a virtual cluster up to now.
func (o *hfsp) age(k TaskKind) { o.virtual[k].Run(o.c.now) }

func (o *hfsp) settle() {
	for k := range TaskKind(kinds) {
		if o.virtual[k].Resize(o.c.now, o.c.slots[k]) {
			o.stale[k] = true
		}
		o.reproject(k)
	}
}

func (o *hfsp) update() { o.settle() }

// reproject works out the projected finishes and the order anew, at once after an arrival or with
// another number of slots. The mere passing of time does not change them.
func (o *hfsp) reproject(k TaskKind) {
	if o.srpt || !o.stale[k] && !(o.drifted[k] && o.c.now-o.last[k] >= patience) {
		return
	}
	o.stale[k], o.drifted[k], o.last[k] = false, false, o.c.now
	o.age(k)
	o.virtual[k].Project()
	for _, v := range o.all[k] {
		o.reposition(v.job, k)
	}
}

// key orders the jobs by size: projected finish, or work left.
func (o *hfsp) key(v *sized) time.Duration {
	if !o.srpt {
		return v.v.Finish
	}
	j := v.job
	return time.Duration(j.unfinished(Map))*j.spec.MapTime + time.Duration(j.unfinished(Reduce))*j.spec.ReduceTime
}

// training tells whether the job's size of this kind is not known yet.
func (o *hfsp) training(j *job, k TaskKind) bool {
	v := o.sized(j, k)
	return v != nil && !v.estimate
}

func (o *hfsp) changed(j *job, k TaskKind) {
	if !o.srpt {
		o.reposition(j, k)
		return
	}
	for k := range TaskKind(kinds) { // what is left counts for both
		o.reposition(j, k)
	}
}

// reposition puts a job where its rank says.
func (o *hfsp) reposition(j *job, k TaskKind) {
	v := o.sized(j, k)
	if v == nil {
		return
	}
	r := o.rankOf(v)
	o.lists[k].Put(&v.listed, o.listed(j, k), o.rank(j, k), j.index)
	o.needy[k].Put(&v.needy, o.needs(j, k), r, v)
	o.holders[k].Put(&v.holds, o.spare(v, k) > 0, r.Reversed(), v)
}

// needs tells whether j has a task to launch or to resume, and may.
func (o *hfsp) needs(j *job, k TaskKind) bool {
	w := &j.w[k]
	return j.runnable && w.open && (w.waiting() > 0 || w.suspended > 0)
}

// listed tells whether j is offered slots; a job of unknown size is not, with an infinite Xi, once
// its sample is launched.
func (o *hfsp) listed(j *job, k TaskKind) bool {
	return (o.needs(j, k) || j.launchable(k)) && (!o.training(j, k) || !math.IsInf(o.pol.Xi, 1) || o.sampling(j, k) || j.w[k].suspended > 0)
}

// rank puts jobs of unknown size first until their sample is launched, those with the fewest tasks
// to go before the others.
func (o *hfsp) rank(j *job, k TaskKind) index.Rank {
	if o.sampling(j, k) {
		return index.Rank{Value: float64(j.unfinished(k)), Tie: int32(j.id)} // 8
	}
	return o.rankOf(o.sized(j, k))
}

// rankOf orders by size alone.
func (o *hfsp) rankOf(v *sized) index.Rank {
	return index.Rank{Class: 1, Value: float64(o.key(v)), Tie: int32(v.job.id)}
}

// sampling tells whether tasks of the sample wait to be launched.
func (o *hfsp) sampling(j *job, k TaskKind) bool {
	w := &j.w[k]
	return o.training(j, k) && w.waiting() > 0 && w.done-o.sized(j, k).before+w.running+w.suspended-w.copies < o.pol.Sample
}

// line has those, too, that can resume but not launch.
func (o *hfsp) line(k TaskKind, i int) *jobList {
	if i > 0 {
		return nil
	}
	return &o.lists[k]
}

// projected is a job's place in the virtual cluster, zero for one that is not there; srpt has none.
func (o *hfsp) projected(j *job, k TaskKind) (VirtualView, bool) {
	if o.srpt || j.state.Ended() || o.sized(j, k) == nil {
		return VirtualView{}, !o.srpt
	}
	o.age(k)
	v := &o.sized(j, k).v
	return VirtualView{Left: v.Left(), Slots: float64(v.Slots()), Finish: v.Finish}, true
}
