package scheduling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// hfsp is the Hadoop Fair Sojourn Protocol: a slot goes to the job that would finish first under processor sharing, by its estimated size; larger
// jobs may be made to give slots back [HFSP §3]. Maps and reduces are ordered apart. The order "srpt" is the same with the work that
// is really left in place of the projected finish.
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
	mixed   [kinds]bool          // all is not sorted (srpt)
	sum     [kinds]time.Duration
	count   [kinds]int64 // tasks that have finished, and their durations in sum
	all     [kinds][]*job
	lists   [kinds]jobList
	kind    TaskKind
	at      cursor
	waits   bool // too many suspended tasks
	claims  []claimed
	rankOf  func(*job, TaskKind) rank
}

func newHFSP(c *Core, p *Policy) (order, error) {
	o := &hfsp{c: c, pol: p.HFSP}
	o.pol.Sample = cmp.Or(o.pol.Sample, 5)
	o.pol.Delta = cmp.Or(o.pol.Delta, time.Minute)
	o.pol.Xi = cmp.Or(o.pol.Xi, 1)
	o.pol.Initial = cmp.Or(o.pol.Initial, time.Minute)
	o.rankOf = o.rank
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

// newSRPT makes the order "srpt": the job with the least work left first, sizes known. It is a bound to compare with.
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
	if !j.state.Ended() {
		j.runnable, j.state = true, JobRunning
		j.started = cmp.Or(j.started, o.c.now)
	}
	for k, n := range [kinds]int{j.spec.Maps, j.spec.Reduces} {
		if n == 0 {
			continue
		}
		k := TaskKind(k)
		o.ageExactly(k)
		v := &virtualJob{id: j.id, size: n, weight: 1}
		if o.pol.Weighted {
			v.weight = j.spec.Priority.factor()
		}
		j.virtual[k] = v
		each := o.guess(j, k, v)
		if !math.IsInf(o.pol.Xi, 1) || v.estimate {
			v.resize(n, each)
			o.virtual[k].insert(v)
		}
		v.finish = math.MaxInt64
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

// remove forgets a job that has ended. Its virtual work goes on, else the others would get ahead unfairly; unless it was given up.
func (o *hfsp) remove(j *job) {
	for k := range TaskKind(kinds) {
		if i := slices.Index(o.all[k], j); i >= 0 {
			o.all[k] = slices.Delete(o.all[k], i, i+1)
		}
		if v := j.virtual[k]; v != nil && j.state != JobSucceeded {
			o.ageExactly(k)
			o.virtual[k].remove(v)
			o.stale[k] = true
		}
	}
}

// ageExactly brings a virtual cluster up to now before a job in it changes. With many jobs that waits for the next projection or update: half a
// second of virtual work is then not worth going through all jobs.
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

// patience is how long a new estimate of a size may wait to be heeded, so that many that come together cost one projection.
const patience = 500 * time.Millisecond

// reproject works out the projected finishes and the order anew if they may have changed. The mere passing of time does not change them.
func (o *hfsp) reproject(k TaskKind) {
	if !o.stale[k] && !(o.drifted[k] && o.c.now-o.last[k] >= patience) {
		return
	}
	o.stale[k], o.drifted[k], o.last[k] = false, false, o.c.now
	if !o.srpt {
		o.age(k)
		o.virtual[k].project(&o.scratch)
	}
	o.sort(k)
	for _, j := range o.all[k] {
		o.place(j, k)
	}
}

// sort puts the smallest jobs first.
func (o *hfsp) sort(k TaskKind) {
	o.mixed[k] = false
	slices.SortFunc(o.all[k], func(a, b *job) int {
		return cmp.Or(cmp.Compare(o.key(a, k), o.key(b, k)), cmp.Compare(a.id, b.id))
	})
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
		o.place(j, k)
		return
	}
	for k := range TaskKind(kinds) { // what is left counts for both
		o.mixed[k] = true
		o.place(j, k)
	}
}

// place puts a job where its rank says. Jobs of unknown size go first until their sample is launched, those with the fewest tasks to go before the others.
func (o *hfsp) place(j *job, k TaskKind) {
	w := &j.w[k]
	in := j.runnable && w.open && (w.waiting() > 0 || w.suspended > 0)
	if in && j.training(k) && math.IsInf(o.pol.Xi, 1) && !o.sampling(j, k) && w.suspended == 0 {
		in = false
	}
	reposition(&o.lists[k], j, w, in, o.rankOf, k)
}

func (o *hfsp) rank(j *job, k TaskKind) rank {
	if o.sampling(j, k) {
		return rank{value: float64(j.unfinished(k)), tie: int64(j.id)}
	}
	return rank{class: 1, value: float64(o.key(j, k)), tie: int64(j.id)}
}

// sampling tells whether tasks of the sample wait to be launched.
func (o *hfsp) sampling(j *job, k TaskKind) bool {
	w := &j.w[k]
	return j.training(k) && w.waiting() > 0 && w.done+w.running+w.suspended < o.pol.Sample
}

func (o *hfsp) rewind(k TaskKind) {
	o.reproject(k)
	o.kind, o.at = k, cursor{}
}

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
func (c *Core) Virtual(id JobID, k TaskKind) (VirtualView, error) {
	j, err := c.find(id)
	if err != nil {
		return VirtualView{}, err
	}
	o, ok := c.order.(*hfsp)
	if !ok || o.srpt {
		return VirtualView{}, fmt.Errorf("%w: policy %s has no virtual cluster", ErrBadConfig, c.pol.Name)
	}
	c.dirty = true
	c.look()
	o.age(k)
	v := j.virtual[k]
	if v == nil {
		return VirtualView{}, nil
	}
	return VirtualView{Left: v.left(), Slots: float64(v.slots), Finish: v.finish}, nil
}
