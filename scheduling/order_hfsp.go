package scheduling

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// hfsp is the Hadoop Fair Sojourn Protocol: a slot goes to the job that would finish first under
// processor sharing, by its estimated size; larger jobs may be made to give slots back [HFSP §3].
// Maps and reduces are ordered apart. The order "srpt" is the same with the work that is really
// left in place of the projected finish.
type hfsp struct {
	c       *Core
	pol     HFSPPolicy
	srpt    bool
	est     estimator
	virtual [kinds]virtualCluster
	scratch virtualCluster
	stale   [kinds]bool          // projected finishes must be worked out anew
	drifted [kinds]bool          // likewise, but that may wait for a moment
	last    [kinds]time.Duration // when they were
	changes [kinds]int           // since then, of jobs
	sum     [kinds]time.Duration
	count   [kinds]int64 // tasks that have finished, and their durations in sum
	all     [kinds][]*job
	lists   [kinds]jobList
	needy   [kinds]rankList[*job] // jobs with tasks to launch or to resume, smallest first
	holders [kinds]rankList[*job] // jobs with slots that they may lose, largest first
	kind    TaskKind
	at      cursor
	waits   bool   // too many suspended tasks
	sampled []*job // scratch
}

func newHFSP(c *Core, p *Policy) (order, error) {
	o := &hfsp{c: c, pol: p.HFSP}
	o.pol.Sample = cmp.Or(o.pol.Sample, 5)
	o.pol.Delta = cmp.Or(o.pol.Delta, time.Minute)
	o.pol.Xi = cmp.Or(o.pol.Xi, 1)
	o.pol.Initial = cmp.Or(o.pol.Initial, time.Minute)
	switch o.pol.Estimator {
	case "", "mean":
		o.est = meanOf
	case "fit":
		o.est = logNormalFit
	default:
		return nil, fmt.Errorf("%w: hfsp: unknown estimator %q", ErrBadConfig, o.pol.Estimator)
	}
	for k := range o.virtual {
		o.virtual[k].now, o.virtual[k].slots = c.now, c.slots[k]
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
		if n == 0 {
			continue
		}
		k := TaskKind(k)
		o.ageExactly(k)
		v := &virtualJob{id: j.id, size: n, weight: 1, before: j.w[k].done}
		if o.pol.Weighted {
			v.weight = j.spec.Priority.factor()
		}
		j.virtual[k] = v
		each := o.guess(j, k, v)
		if !o.srpt && (!math.IsInf(o.pol.Xi, 1) || v.estimate) {
			v.resize(n, each)
			o.virtual[k].insert(v)
		}
		v.finish = o.guessFinish(v, k)
		v.at = len(o.all[k])
		o.all[k] = append(o.all[k], j)
		o.stale[k] = true
	}
	return nil
}

// guess is the duration assumed of each task before any has been measured.
func (o *hfsp) guess(j *job, k TaskKind, v *virtualJob) time.Duration {
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
	return time.Duration(float64(mean) * o.pol.Xi)
}

// taskTime is the known duration of a task, 0 if unknown.
func (j *job) taskTime(k TaskKind) time.Duration {
	if k == Map {
		return j.spec.MapTime
	}
	return j.spec.ReduceTime
}

// remove forgets a job that has ended. Its virtual work goes on, else the others would get ahead
// unfairly; unless it was given up.
func (o *hfsp) remove(j *job) {
	for k := range TaskKind(kinds) {
		v := j.virtual[k]
		if v == nil {
			continue
		}
		all := o.all[k]
		last := all[len(all)-1]
		all[v.at], last.virtual[k].at = last, v.at
		all[len(all)-1] = nil
		o.all[k] = all[:len(all)-1]
		if j.state != JobSucceeded {
			o.ageExactly(k)
			o.virtual[k].remove(v)
			o.stale[k] = true
		}
	}
}

// ageExactly brings a virtual cluster up to now before a job in it changes. With many jobs that
// waits for the next projection or update: half a second of virtual work is then not worth going
// through all jobs.
func (o *hfsp) ageExactly(k TaskKind) {
	if len(o.virtual[k].jobs) <= exactJobs {
		o.age(k)
	}
}

// age brings a virtual cluster up to now.
func (o *hfsp) age(k TaskKind) { o.virtual[k].run(o.c.now) }

func (o *hfsp) settle() {
	for k := range TaskKind(kinds) {
		o.stale[k] = o.stale[k] || o.drifted[k]
		if v := &o.virtual[k]; v.slots != o.c.slots[k] {
			v.slots, v.stale, o.stale[k] = o.c.slots[k], true, true
		}
		o.reproject(k)
	}
}

func (o *hfsp) update() {
	for k := range TaskKind(kinds) {
		o.age(k)
		o.stale[k] = o.stale[k] || o.drifted[k]
		o.reproject(k)
	}
}

// key orders the jobs by size: projected finish, or work left.
func (o *hfsp) key(j *job, k TaskKind) time.Duration {
	if !o.srpt {
		return j.virtual[k].finish
	}
	return time.Duration(j.unfinished(Map))*j.spec.MapTime + time.Duration(j.unfinished(Reduce))*j.spec.ReduceTime
}

// training tells whether the job's size of this kind is not known yet.
func (j *job) training(k TaskKind) bool { return j.virtual[k] != nil && !j.virtual[k].estimate }

func (o *hfsp) changed(j *job, k TaskKind) {
	if !o.srpt {
		o.changes[k]++
		o.place(j, k)
		return
	}
	for k := range TaskKind(kinds) { // what is left counts for both
		o.place(j, k)
	}
}

// place puts a job where its rank says.
func (o *hfsp) place(j *job, k TaskKind) {
	v := j.virtual[k]
	if v == nil {
		return
	}
	r := o.sizeRank(j, k)
	o.lists[k].put(&j.w[k].spot, o.listed(j, k), o.rank(j, k), listedJob{j, j.wait[k]})
	o.needy[k].put(&v.needy, o.needs(j, k), r, j)
	o.holders[k].put(&v.holds, o.spare(j, k) > 0, r.reversed(), j)
}

// needs tells whether j has a task to launch or to resume, and may.
func (o *hfsp) needs(j *job, k TaskKind) bool {
	w := &j.w[k]
	return j.runnable && w.open && (w.waiting() > 0 || w.suspended > 0)
}

// listed tells whether j is offered slots; a job of unknown size is not, with an infinite Xi, once
// its sample is launched.
func (o *hfsp) listed(j *job, k TaskKind) bool {
	return o.needs(j, k) && (!j.training(k) || !math.IsInf(o.pol.Xi, 1) || o.sampling(j, k) || j.w[k].suspended > 0)
}

// rank puts jobs of unknown size first until their sample is launched, those with the fewest tasks
// to go before the others.
func (o *hfsp) rank(j *job, k TaskKind) rank {
	if o.sampling(j, k) {
		return rank{value: float64(j.unfinished(k)), tie: int64(j.id)}
	}
	return o.sizeRank(j, k)
}

// sizeRank orders by size alone.
func (o *hfsp) sizeRank(j *job, k TaskKind) rank {
	return rank{class: 1, value: float64(o.key(j, k)), tie: int64(j.id)}
}

// sampling tells whether tasks of the sample wait to be launched.
func (o *hfsp) sampling(j *job, k TaskKind) bool {
	w := &j.w[k]
	return j.training(k) && w.waiting() > 0 && w.done-j.virtual[k].before+w.running+w.suspended < o.pol.Sample
}

func (o *hfsp) rewind(k TaskKind) { o.kind, o.at = k, cursor{} }

func (o *hfsp) next() *job {
	for {
		e, ok := o.lists[o.kind].next(&o.at)
		if !ok || e.wait.ready {
			return e.job
		}
	}
}

// VirtualView is a job's place in the virtual cluster of hfsp, for one kind of its tasks.
type VirtualView struct {
	Left   time.Duration // serialized work left
	Slots  float64       // held
	Finish time.Duration // projected, or when it finished there; 0 if it has no tasks of the kind
}

// Virtual asks for a job's place in the virtual cluster.
func (q View) Virtual(id JobID, k TaskKind) (VirtualView, error) {
	c := q.c
	j, err := c.find(id)
	if err != nil {
		return VirtualView{}, err
	}
	o, ok := c.order.(*hfsp)
	if !ok || o.srpt {
		return VirtualView{}, fmt.Errorf("%w: policy %s has no virtual cluster", ErrBadConfig, c.pol.Name)
	}
	v := j.virtual[k]
	if v == nil {
		return VirtualView{}, nil
	}
	now := o.virtual[k].seen(v, c.now)
	return VirtualView{Left: now.left(), Slots: float64(now.slots), Finish: now.finish}, nil
}
