package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// SpeculationRule names a way to find the tasks that are so slow that a copy of them is worth a
// slot. The first attempt of a task to succeed, or to be granted its commit, wins.
type SpeculationRule uint8

// The rules.
const (
	NoSpeculation SpeculationRule = iota
	// NativeRule copies tasks whose progress is 0.2 below the mean of their kind in the job, on any
	// node [Hadoop 0.20; Zaharia08 §2.1].
	NativeRule
	// LATE copies the task with the longest estimated time to end, if it is slow, on a node that is
	// not, as long as few copies run [Zaharia08 §4; Hadoop 0.21].
	LATE
)

var speculationNames = [...]string{"none", "native", "late"}

// String gives the rule's name in lower case.
func (r SpeculationRule) String() string { return speculationNames[r] }

// MarshalText gives the rule's name.
func (r SpeculationRule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a rule's name.
func (r *SpeculationRule) UnmarshalText(text []byte) error {
	i := slices.Index(speculationNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("scheduling: unknown rule of speculation %q: want none, native or late", text)
	}
	*r = SpeculationRule(i)
	return nil
}

// SpeculationPolicy sets when tasks are copied. Zero numbers mean the defaults given, which are
// Hadoop's.
type SpeculationPolicy struct {
	Rule SpeculationRule
	// Except leaves out the tasks of a kind, as mapreduce.map.speculative=false does.
	Except [2]bool
	// Lag is how long an attempt must have run, a reduce since the last map was done, before its
	// task may be copied; default 60 s.
	Lag time.Duration
	// SlowTask is by how many standard deviations the progress rate of a task must be below the mean
	// of the job's tasks of its kind; default 1 (mapreduce.job.speculative.slowtaskthreshold). LATE.
	SlowTask float64
	// SlowNode is by how many standard deviations the mean progress rate of a job's tasks on a node
	// must be below that of all of them for the node to get no copy of the job; default 1
	// (mapreduce.job.speculative.slownodethreshold). LATE.
	SlowNode float64
	// Cap bounds a job's copies of a kind: this part of its running tasks, but always MinCopies and
	// 1 % of the cluster's slots; default 0.1 (mapreduce.job.speculative.speculativecap). LATE.
	Cap float64
	// MinCopies is always allowed; default 10. LATE.
	MinCopies int
}

// The defaults [Hadoop 0.21 JobInProgress, JobConf].
const (
	speculativeLag     = 60 * time.Second
	speculativeCap     = 0.1
	speculativeSlots   = 0.01
	speculativeMinimum = 10
	nativeGap          = 0.2
)

func (p *SpeculationPolicy) validate(bad func(string, ...any)) {
	if int(p.Rule) >= len(speculationNames) {
		bad("speculation: unknown rule %d", p.Rule)
	}
	if p.Lag < 0 || !(p.SlowTask >= 0) || !(p.SlowNode >= 0) || !(p.Cap >= 0 && p.Cap <= 1) || p.MinCopies < 0 {
		bad("speculation: lag, thresholds and copies must not be negative, the cap 0 to 1")
	}
}

// sample is the mean and the spread of numbers that come one by one.
type sample struct {
	n            int
	sum, squares float64
}

func (s *sample) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

func (s *sample) mean() float64 { return s.sum / float64(max(1, s.n)) }

// deviation is the standard deviation.
func (s *sample) deviation() float64 {
	m := s.mean()
	return math.Sqrt(max(0, s.squares/float64(max(1, s.n))-m*m))
}

// below tells whether x is below the mean by more than so many standard deviations. Numbers that
// differ by rounding alone are equal.
func (s *sample) below(x, deviations float64) bool {
	return s.mean()-x > max(deviations*s.deviation(), 1e-9*math.Abs(s.mean()))
}

// pace is how fast the tasks of a kind of a job were that are done, and on each node the attempts
// that ended with their task.
type pace struct {
	rates sample // progress a second
	nodes map[NodeID]*sample
}

// paced notes how fast an attempt was that has succeeded.
func (c *Core) paced(a *attempt) {
	p := &a.job.pace[a.id.Task.Kind]
	if *p == nil {
		*p = &pace{nodes: map[NodeID]*sample{}}
	}
	rate := 1 / max(a.busy(c.now).Seconds(), 1e-9)
	(*p).rates.add(rate)
	(*p).on(a.node).add(rate)
}

// overtaken notes how fast an attempt was of which another one has done the task: its node may have
// no other to be known by.
func (c *Core) overtaken(ai int32) {
	a := &c.atts[ai]
	if p := a.job.pace[a.id.Task.Kind]; p != nil {
		p.on(a.node).add(a.rate(c.now))
	}
}

// on is the sample of a node.
func (p *pace) on(n *node) *sample {
	if p.nodes[n.id] == nil {
		p.nodes[n.id] = &sample{}
	}
	return p.nodes[n.id]
}

// slowest is what speculate works out anew each time, by kind and index of the job.
type slowest struct {
	rates    [kinds][]sample // of running and done tasks
	progress [kinds][]sample
	found    [kinds][][]slowTask
}

// slowTask is one to be copied: those with the most left come first.
type slowTask struct {
	index int32
	left  float64 // seconds to its end at its rate, +Inf if it has not moved
}

// speculate looks for tasks to copy in the jobs that have no task left to launch:
//
//  1. gather the progress rate of each running attempt, progress over the time in which it had work,
//     beside those of the tasks that are done;
//  2. a task is slow if its only attempt has run for the lag, is not suspended, may not commit yet,
//     and by LATE has a rate well below the mean, by the native rule a progress well below it;
//  3. LATE ranks the slow tasks by their time to end, (1 - progress) / rate, the longest first.
//
// Hadoop does this at each heartbeat; here it is part of the periodic step, and heartbeats take
// from the list.
func (c *Core) speculate() {
	p := &c.pol.Speculation
	if p.Rule == NoSpeculation {
		return
	}
	s := &c.slowest
	s.clear(len(c.byIndex))
	for _, n := range c.nodes {
		for _, ai := range n.atts {
			if a := &c.atts[ai]; c.compares(a) {
				s.gather(a, c.now)
			}
		}
	}
	for _, n := range c.nodes {
		for _, ai := range n.atts {
			if a := &c.atts[ai]; c.compares(a) && c.tooSlow(a) {
				found := &s.found[a.id.Task.Kind][a.job.index]
				*found = append(*found, slowTask{a.id.Task.Index, a.left(c.now)})
			}
		}
	}
	for _, j := range c.active {
		if !j.state.Ended() {
			for k := range TaskKind(kinds) {
				c.rankSlow(j, k, s.found[k][j.index])
			}
		}
	}
}

func (s *slowest) clear(jobs int) {
	for k := range kinds {
		s.rates[k] = slices.Grow(s.rates[k][:0], jobs)[:jobs]
		s.progress[k] = slices.Grow(s.progress[k][:0], jobs)[:jobs]
		s.found[k] = slices.Grow(s.found[k][:0], jobs)[:jobs]
		clear(s.rates[k])
		clear(s.progress[k])
		for i := range s.found[k] {
			s.found[k][i] = s.found[k][i][:0]
		}
	}
}

// gather takes in a running attempt, and before the first of its job the tasks that are done.
func (s *slowest) gather(a *attempt, now time.Duration) {
	j, k := a.job, a.id.Task.Kind
	rates, progress := &s.rates[k][j.index], &s.progress[k][j.index]
	if done := j.w[k].done; rates.n == 0 {
		if j.pace[k] != nil {
			*rates = j.pace[k].rates
		}
		*progress = sample{n: done, sum: float64(done), squares: float64(done)}
	}
	rates.add(a.rate(now))
	progress.add(a.progress)
}

// compares tells whether an attempt belongs to a job whose slow tasks are looked for: one without
// tasks to launch, for reduces also without maps to wait for.
func (c *Core) compares(a *attempt) bool {
	j, k := a.job, a.id.Task.Kind
	return !a.suspended && j.w[k].waiting() == 0 && !c.pol.Speculation.Except[k] && (k == Map || j.unfinished(Map) == 0)
}

// busy is how long an attempt has had work: a reduce, since the job's last map was done. Hadoop
// counts from the launch; then reduces that were launched early and waited look slow beside copies,
// which need not wait, and the copies' rates hide the slow ones.
func (a *attempt) busy(now time.Duration) time.Duration {
	if a.id.Task.Kind == Map {
		return a.worked(now)
	}
	return min(a.worked(now), now-a.job.mapsDone)
}

// rate is the attempt's progress a second.
func (a *attempt) rate(now time.Duration) float64 {
	return a.progress / max(a.busy(now).Seconds(), 1e-9)
}

// left is how many seconds the attempt needs to its end at its rate.
func (a *attempt) left(now time.Duration) float64 {
	if a.progress == 0 {
		return math.Inf(1)
	}
	return (1 - a.progress) / a.rate(now)
}

// tooSlow tells whether the task of an attempt should be copied.
func (c *Core) tooSlow(a *attempt) bool {
	p, k := &c.pol.Speculation, a.id.Task.Kind
	alone := a.next < 0 && c.atts[a.job.w[k].tasks[a.id.Task.Index].att].id == a.id
	if !alone || a.granted || a.busy(c.now) < cmp.Or(p.Lag, speculativeLag) {
		return false
	}
	if p.Rule == NativeRule {
		return a.progress < c.slowest.progress[k][a.job.index].mean()-nativeGap
	}
	rates := c.slowest.rates[k][a.job.index]
	return rates.below(a.rate(c.now), cmp.Or(p.SlowTask, 1))
}

// rankSlow puts the slow tasks of a job in order.
func (c *Core) rankSlow(j *job, k TaskKind, found []slowTask) {
	slices.SortFunc(found, func(a, b slowTask) int {
		byTime := 0
		if c.pol.Speculation.Rule == LATE {
			byTime = cmp.Compare(b.left, a.left)
		}
		return cmp.Or(byTime, cmp.Compare(a.index, b.index))
	})
	list := make([]int32, 0, len(found))
	for _, f := range found {
		list = append(list, f.index)
	}
	c.setSlow(j, k, list)
}

// setSlow says which tasks of a job are to be copied.
func (c *Core) setSlow(j *job, k TaskKind, list []int32) {
	w := &j.w[k]
	old := w.toCopy()
	if len(list)+len(old) == 0 {
		return
	}
	for _, i := range list {
		if !slices.Contains(old, i) {
			c.newWork()
			break
		}
	}
	c.slow[k] += len(list) - len(old)
	if w.slow = nil; len(list) > 0 {
		w.slow = &slowTasks{list}
	}
	c.changed(j, k)
}

// notSlow takes a task off the list of those to be copied and tells whether it was there; the order
// must be told of the change.
func (c *Core) notSlow(j *job, k TaskKind, i int32) bool {
	w := &j.w[k]
	if w.slow == nil {
		return false
	}
	at := slices.Index(w.slow.list, i)
	if at < 0 {
		return false
	}
	if w.slow.list = slices.Delete(w.slow.list, at, at+1); len(w.slow.list) == 0 {
		w.slow = nil
	}
	c.slow[k]--
	return true
}

// offerCopy offers a free slot of n to the slow tasks of j, which has none to launch.
func (c *Core) offerCopy(j *job, n *node, k TaskKind) bool {
	w := &j.w[k]
	if c.pol.Speculation.Rule == LATE {
		if most := c.mostCopies(j, k); w.copies >= most {
			return c.skip(j, n, k, Reason{Cause: CauseCopyCap, Count: int32(w.copies), Of: int32(most)}, 0)
		}
		if c.slowNode(j, n) {
			return c.skip(j, n, k, Reason{Cause: CauseSlowNode}, 0)
		}
	}
	for _, i := range w.toCopy() {
		if c.atts[w.tasks[i].att].node == n {
			continue
		}
		l := AnyPlace
		if k == Map {
			l = c.level(j, i, n)
		}
		c.placement[k].launched(j, n, l)
		c.notSlow(j, k, i)
		c.launch(j, k, i, n, l, Reason{Cause: CauseSlowTask}, nil)
		return true
	}
	return c.skip(j, n, k, Reason{Cause: CauseRunsHere}, 0)
}

// mostCopies is how many copies of a kind of task a job may run.
func (c *Core) mostCopies(j *job, k TaskKind) int {
	p, w := &c.pol.Speculation, &j.w[k]
	tasks := float64(w.running + w.suspended - w.copies)
	part := max(cmp.Or(p.Cap, speculativeCap)*tasks, speculativeSlots*float64(c.slots[k]))
	return max(cmp.Or(p.MinCopies, speculativeMinimum), int(math.Ceil(part-1e-9)))
}

// slowNode tells whether the tasks of j, of either kind, have been much slower on n than elsewhere:
// those that are done, those that were overtaken and, as in the paper, those that run. Hadoop looks
// at the first alone, and gives copies to nodes so slow that nothing has ended there.
func (c *Core) slowNode(j *job, n *node) bool {
	for k := range TaskKind(kinds) {
		all := c.slowest.rates[k][j.index]
		var here sample
		if p := j.pace[k]; p != nil {
			if all.n == 0 {
				all = p.rates
			}
			if on := p.nodes[n.id]; on != nil {
				here = *on
			}
		}
		for _, ai := range n.atts {
			if a := &c.atts[ai]; a.job == j && a.id.Task.Kind == k && c.compares(a) {
				here.add(a.rate(c.now))
			}
		}
		if here.n > 0 && all.below(here.mean(), cmp.Or(c.pol.Speculation.SlowNode, 1)) {
			return true
		}
	}
	return false
}
