// Package hfsp implements the Hadoop Fair Sojourn Protocol [HFSP] and shortest remaining processing
// time ("srpt"), a bound for comparison. Package virtual has the virtual cluster.
//
// Reading order: hfsp.go (the order), training.go (how sizes become known), reclaim.go
// (preemption).
package hfsp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/virtual"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// Patience is the maximum delay before a newly estimated size changes the order of jobs. With the
// delay, many sizes that become known at once cost one projection.
const Patience = 500 * time.Millisecond

// Order is the Hadoop Fair Sojourn Protocol: a slot goes to the job that would finish first under
// processor sharing, by its estimated size. Larger jobs may have to return slots [HFSP §3]. Maps
// and reduces are ordered separately. The order "srpt" uses the actual remaining work instead of
// the projected finish. Numbers in comments are the steps in docs/papers.md.
type Order struct {
	core.BaseOrder
	Pol         model.HFSPPolicy
	srpt        bool
	est         virtual.Estimator
	Virtual     [model.Kinds]*virtual.Cluster
	Stale       [model.Kinds]bool          // projected finishes must be recomputed
	Drifted     [model.Kinds]bool          // the same, but with a delay of up to Patience
	Last        [model.Kinds]time.Duration // time of the last projection
	Sum         [model.Kinds]time.Duration
	Count       [model.Kinds]int64 // finished tasks; Sum is the sum of their durations
	of          [model.Kinds]core.Records[*Sized]
	All         [model.Kinds][]*Sized // the entries of `of` that are not nil
	Lists       [model.Kinds]core.JobList
	claimants   [model.Kinds]index.List[*Sized] // jobs with tasks to launch or resume, smallest first
	preemptible [model.Kinds]index.List[*Sized] // jobs with slots that they may lose, largest first
	Waits       bool                            // too many tasks are suspended to suspend more
	Learned     []trainingSample                // by index in Core.Attempts
}

// Sized is the order's record of a job's maps, or of its reduces: their ranks, their virtual job,
// and their known or estimated size.
type Sized struct {
	Job         *core.Job
	V           virtual.Job
	Estimate    bool            // the size is measured or given; without it, it is a guess
	Samples     []time.Duration // measured or estimated durations of training tasks
	Worked      time.Duration   // time that the training tasks had worked when they were measured
	SampledDone int             // training tasks that had finished when they were measured
	untrained   int             // tasks done under a former policy, which cannot be training tasks
	Listed      index.Spot
	claimants   index.Spot
	holds       index.Spot
}

// New returns the order "hfsp".
func New(c *core.Core, p *model.Policy) (core.Order, error) {
	o := &Order{BaseOrder: core.BaseOrder{C: c}, Pol: p.HFSP}
	o.Pol.Sample = cmp.Or(o.Pol.Sample, 5)
	o.Pol.Delta = cmp.Or(o.Pol.Delta, time.Minute)
	o.Pol.Xi = cmp.Or(o.Pol.Xi, 1)
	o.Pol.Initial = cmp.Or(o.Pol.Initial, time.Minute)
	estimators := map[string]virtual.Estimator{"": virtual.Mean, "mean": virtual.Mean, "fit": virtual.LogNormal}
	if o.est = estimators[o.Pol.Estimator]; o.est == nil {
		return nil, fmt.Errorf("%w: hfsp: unknown estimator %q", model.ErrBadConfig, o.Pol.Estimator)
	}
	for k := range o.Virtual {
		o.Virtual[k] = virtual.New(c.Now, c.Slots[k])
	}
	return o, nil
}

// NewSRPT returns the order "srpt", a bound for comparison: the job with the least remaining work
// goes first. It knows the work from each job's MapTime and ReduceTime.
func NewSRPT(c *core.Core, p *model.Policy) (core.Order, error) {
	o, err := New(c, p)
	if err == nil {
		s := o.(*Order)
		s.srpt, s.Pol.NoTraining = true, true
	}
	return o, err
}

// Add implements core.Order.
func (o *Order) Add(j *core.Job) error {
	o.C.Admit(j)
	for k, n := range [model.Kinds]int{j.Spec.Maps, j.Spec.Reduces} {
		if n == 0 {
			continue
		}
		k := model.TaskKind(k)
		o.age(k)
		v := &Sized{Job: j, V: virtual.Job{ID: int64(j.ID), Size: n, Weight: 1}, untrained: j.Work[k].Done}
		if o.Pol.Weighted {
			v.V.Weight = j.Spec.Priority.Factor()
		}
		*o.of[k].Of(j) = v
		each := o.guess(j, k, v)
		if !o.srpt && (o.Pol.Xi >= 0 || v.Estimate) {
			v.V.Resize(n, each)
			o.Virtual[k].Insert(&v.V)
		}
		v.V.Finish = math.MaxInt64
		o.All[k] = append(o.All[k], v)
		o.Stale[k] = true
	}
	return nil
}

// guess returns the assumed duration of j's tasks of kind k, before one has been measured.
func (o *Order) guess(j *core.Job, k model.TaskKind, v *Sized) time.Duration {
	if known := j.TaskTime(k); o.Pol.NoTraining && known > 0 {
		v.Estimate = true
		return known
	}
	v.Estimate = o.Pol.NoTraining
	mean := o.Pol.Initial
	if o.Count[k] > 0 {
		mean = o.Sum[k] / time.Duration(o.Count[k])
	}
	if o.Pol.NoTraining || o.Pol.Xi < 0 {
		return mean
	}
	return time.Duration(float64(mean) * o.Pol.Xi) // step 7
}

// Remove removes the record of a job that has ended. The virtual work of a successful job
// continues; otherwise the other jobs would get its virtual slots too early.
func (o *Order) Remove(j *core.Job) {
	for k := range model.TaskKind(model.Kinds) {
		v := o.Sized(j, k)
		if v == nil {
			continue
		}
		i := slices.Index(o.All[k], v)
		o.All[k] = slices.Delete(o.All[k], i, i+1)
		o.of[k].Remove(j)
		if j.State != model.JobSucceeded {
			o.age(k)
			o.Virtual[k].Remove(&v.V)
			o.Stale[k] = true
		}
	}
}

// Sized returns the record of a job that has not ended; nil if it has no tasks of kind k.
func (o *Order) Sized(j *core.Job, k model.TaskKind) *Sized { return *o.of[k].Of(j) }

// age advances the virtual cluster of maps or of reduces to the current time.
func (o *Order) age(k model.TaskKind) { o.Virtual[k].Run(o.C.Now) }

// Settle implements core.Order.
func (o *Order) Settle() {
	for k := range model.TaskKind(model.Kinds) {
		if o.Virtual[k].Resize(o.C.Now, o.C.Slots[k]) {
			o.Stale[k] = true
		}
		o.reproject(k)
	}
}

// Update implements core.Order.
func (o *Order) Update() { o.Settle() }

// reproject recomputes the projected finishes and with them the order. It does so at once after an
// arrival or a change of the slots; time alone does not change them.
func (o *Order) reproject(k model.TaskKind) {
	if o.srpt || !o.Stale[k] && !(o.Drifted[k] && o.C.Now-o.Last[k] >= Patience) {
		return
	}
	o.Stale[k], o.Drifted[k], o.Last[k] = false, false, o.C.Now
	o.age(k)
	o.Virtual[k].Project()
	for _, v := range o.All[k] {
		o.reposition(v.Job, k)
	}
}

// Training reports whether the job's size of this kind is still unknown.
func (o *Order) Training(j *core.Job, k model.TaskKind) bool {
	v := o.Sized(j, k)
	return v != nil && !v.Estimate
}

// Changed implements core.Order.
func (o *Order) Changed(j *core.Job, k model.TaskKind) {
	if !o.srpt {
		o.reposition(j, k)
		return
	}
	for k := range model.TaskKind(model.Kinds) { // the remaining work determines both ranks
		o.reposition(j, k)
	}
}

// reposition moves a job to its present rank in each of the three lists, or removes it.
func (o *Order) reposition(j *core.Job, k model.TaskKind) {
	v := o.Sized(j, k)
	if v == nil {
		return
	}
	r := o.RankOf(v)
	o.Lists[k].Put(&v.Listed, o.listed(j, k), o.Rank(j, k), j)
	o.claimants[k].Put(&v.claimants, o.Needs(j, k), r, v)
	o.preemptible[k].Put(&v.holds, o.Spare(v, k) > 0, r.Reversed(), v)
}

// Needs reports whether j has a task to launch or resume, and may do so.
func (o *Order) Needs(j *core.Job, k model.TaskKind) bool {
	w := &j.Work[k]
	return j.Runnable && w.Open && (w.Waiting() > 0 || w.Suspended > 0)
}

// listed reports whether j is offered slots. With an infinite Xi, a job of unknown size is only
// while it has training tasks to launch or tasks to resume.
func (o *Order) listed(j *core.Job, k model.TaskKind) bool {
	return (o.Needs(j, k) || j.Launchable(k)) && (!o.Training(j, k) || o.Pol.Xi >= 0 || o.Sampling(j, k) || j.Work[k].Suspended > 0)
}

// Rank returns j's rank among the jobs that are offered slots. Jobs of unknown size with training
// tasks to launch come first, those with fewer unfinished tasks before others.
func (o *Order) Rank(j *core.Job, k model.TaskKind) index.Rank {
	if o.Sampling(j, k) {
		return index.Rank{Value: float64(j.Unfinished(k)), Tie: int32(j.ID)} // step 8
	}
	return o.RankOf(o.Sized(j, k))
}

// RankOf returns the rank by size alone: by projected finish or, for srpt, by remaining work.
func (o *Order) RankOf(v *Sized) index.Rank {
	size := v.V.Finish
	if j := v.Job; o.srpt {
		size = time.Duration(j.Unfinished(model.Map))*j.Spec.MapTime + time.Duration(j.Unfinished(model.Reduce))*j.Spec.ReduceTime
	}
	return index.Rank{Class: 1, Value: float64(size), Tie: int32(v.Job.ID)}
}

// Sampling reports whether j has training tasks to launch: the tasks that measure its size.
func (o *Order) Sampling(j *core.Job, k model.TaskKind) bool {
	w := &j.Work[k]
	return o.Training(j, k) && w.Waiting() > 0 && w.Done-o.Sized(j, k).untrained+w.Running+w.Suspended-w.Copies < o.Pol.Sample
}

// Line returns the list of all jobs that are offered slots, also those that can only resume tasks.
func (o *Order) Line(k model.TaskKind, i int) *core.JobList {
	if i > 0 {
		return nil
	}
	return &o.Lists[k]
}

// Projected returns a job's state in the virtual cluster; the zero value if it has no task of the
// kind. It returns false for srpt, which has no virtual cluster.
func (o *Order) Projected(j *core.Job, k model.TaskKind) (view.Virtual, bool) {
	if o.srpt || j.State.Ended() || o.Sized(j, k) == nil {
		return view.Virtual{}, !o.srpt
	}
	o.age(k)
	v := &o.Sized(j, k).V
	return view.Virtual{Left: v.Left(), Slots: float64(v.Slots), Finish: v.Finish}, true
}
