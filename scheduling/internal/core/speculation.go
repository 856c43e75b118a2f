package core

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

// Sample is the mean and the spread of numbers that come one by one.
type Sample struct {
	N            int
	Sum, Squares float64
}

func (s *Sample) add(x float64) {
	s.N++
	s.Sum += x
	s.Squares += x * x
}

func (s *Sample) mean() float64 { return s.Sum / float64(max(1, s.N)) }

// deviation is the standard deviation.
func (s *Sample) deviation() float64 {
	m := s.mean()
	return math.Sqrt(max(0, s.Squares/float64(max(1, s.N))-m*m))
}

// below tells whether x is below the mean by more than so many standard deviations. Numbers that
// differ by rounding alone are equal.
func (s *Sample) below(x, deviations float64) bool {
	return s.mean()-x > max(deviations*s.deviation(), 1e-9*math.Abs(s.mean()))
}

// pace is how fast the tasks of a kind of a job were that are done, and on each node the attempts
// that ended with their task.
type pace struct {
	Rates Sample // progress a second
	Nodes map[NodeID]*Sample
}

// Paces are those of a job's tasks, by kind; nil of a kind without a task that is done, or under a
// policy that does not speculate.
type Paces [Kinds]*pace

// paced notes how fast an attempt was that has succeeded.
func (c *Core) paced(a *Attempt) {
	p := &c.Paces.Of(a.Job)[a.ID.Task.Kind]
	if *p == nil {
		*p = &pace{Nodes: map[NodeID]*Sample{}}
	}
	rate := 1 / max(a.busy(c.Now).Seconds(), 1e-9)
	(*p).Rates.add(rate)
	(*p).on(a.Node).add(rate)
}

// overtaken notes how fast an attempt was of which another one has done the task: its node may have
// no other to be known by.
func (c *Core) overtaken(ai int32) {
	a := &c.Attempts[ai]
	if p := c.Paces.Of(a.Job)[a.ID.Task.Kind]; p != nil {
		p.on(a.Node).add(a.rate(c.Now))
	}
}

// on is the sample of a node.
func (p *pace) on(n *NodeState) *Sample {
	if p.Nodes[n.ID] == nil {
		p.Nodes[n.ID] = &Sample{}
	}
	return p.Nodes[n.ID]
}

// slowest is what speculate works out anew each time, by kind and index of the job.
type slowest struct {
	Rates    [Kinds][]Sample // of running and done tasks
	progress [Kinds][]Sample
	found    [Kinds][][]slowTask
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
	p := &c.Policy.Speculation
	if p.Rule == NoSpeculation {
		return
	}
	s := &c.Slowest
	s.clear(len(c.ByIndex))
	for _, n := range c.Nodes {
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; c.compares(a) {
				s.gather(a, &c.Paces, c.Now)
			}
		}
	}
	for _, n := range c.Nodes {
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; c.compares(a) && c.tooSlow(a) {
				found := &s.found[a.ID.Task.Kind][a.Job.Index]
				*found = append(*found, slowTask{a.ID.Task.Index, a.left(c.Now)})
			}
		}
	}
	for _, j := range c.Active {
		if !j.State.Ended() {
			for k := range TaskKind(Kinds) {
				c.rankSlow(j, k, s.found[k][j.Index])
			}
		}
	}
}

func (s *slowest) clear(jobs int) {
	for k := range Kinds {
		s.Rates[k] = slices.Grow(s.Rates[k][:0], jobs)[:jobs]
		s.progress[k] = slices.Grow(s.progress[k][:0], jobs)[:jobs]
		s.found[k] = slices.Grow(s.found[k][:0], jobs)[:jobs]
		clear(s.Rates[k])
		clear(s.progress[k])
		for i := range s.found[k] {
			s.found[k][i] = s.found[k][i][:0]
		}
	}
}

// gather takes in a running attempt, and before the first of its job the tasks that are done.
func (s *slowest) gather(a *Attempt, paces *Records[Paces], now time.Duration) {
	j, k := a.Job, a.ID.Task.Kind
	rates, progress := &s.Rates[k][j.Index], &s.progress[k][j.Index]
	if done := j.Work[k].Done; rates.N == 0 {
		if done := paces.Of(j)[k]; done != nil {
			*rates = done.Rates
		}
		*progress = Sample{N: done, Sum: float64(done), Squares: float64(done)}
	}
	rates.add(a.rate(now))
	progress.add(a.Progress)
}

// compares tells whether an attempt belongs to a job whose slow tasks are looked for: one without
// tasks to launch, for reduces also without maps to wait for.
func (c *Core) compares(a *Attempt) bool {
	j, k := a.Job, a.ID.Task.Kind
	return !a.Suspended && j.Work[k].Waiting() == 0 && !c.Policy.Speculation.Except[k] && (k == Map || j.Unfinished(Map) == 0)
}

// busy is how long an attempt has had work: a reduce, since the job's last map was done. Hadoop
// counts from the launch; then reduces that were launched early and waited look slow beside copies,
// which need not wait, and the copies' rates hide the slow ones.
func (a *Attempt) busy(now time.Duration) time.Duration {
	if a.ID.Task.Kind == Map {
		return a.Worked(now)
	}
	return min(a.Worked(now), now-a.Job.MapsDone)
}

// rate is the attempt's progress a second.
func (a *Attempt) rate(now time.Duration) float64 {
	return a.Progress / max(a.busy(now).Seconds(), 1e-9)
}

// left is how many seconds the attempt needs to its end at its rate.
func (a *Attempt) left(now time.Duration) float64 {
	if a.Progress == 0 {
		return math.Inf(1)
	}
	return (1 - a.Progress) / a.rate(now)
}

// tooSlow tells whether the task of an attempt should be copied.
func (c *Core) tooSlow(a *Attempt) bool {
	p, k := &c.Policy.Speculation, a.ID.Task.Kind
	alone := a.Next < 0 && c.Attempts[a.Job.Work[k].Tasks[a.ID.Task.Index].Att].ID == a.ID
	if !alone || a.Granted || a.busy(c.Now) < cmp.Or(p.Lag, speculativeLag) {
		return false
	}
	if p.Rule == NativeRule {
		return a.Progress < c.Slowest.progress[k][a.Job.Index].mean()-nativeGap
	}
	rates := c.Slowest.Rates[k][a.Job.Index]
	return rates.below(a.rate(c.Now), cmp.Or(p.SlowTask, 1))
}

// rankSlow puts the slow tasks of a job in order.
func (c *Core) rankSlow(j *Job, k TaskKind, found []slowTask) {
	slices.SortFunc(found, func(a, b slowTask) int {
		byTime := 0
		if c.Policy.Speculation.Rule == LATE {
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
func (c *Core) setSlow(j *Job, k TaskKind, list []int32) {
	w := &j.Work[k]
	old := w.ToCopy()
	if len(list)+len(old) == 0 {
		return
	}
	for _, i := range list {
		if !slices.Contains(old, i) {
			c.newWork()
			break
		}
	}
	c.Slow[k] += len(list) - len(old)
	if w.Slow = nil; len(list) > 0 {
		w.Slow = &slowTasks{list}
	}
	c.changed(j, k)
}

// notSlow takes a task off the list of those to be copied and tells whether it was there; the order
// must be told of the change.
func (c *Core) notSlow(j *Job, k TaskKind, i int32) bool {
	w := &j.Work[k]
	if w.Slow == nil {
		return false
	}
	at := slices.Index(w.Slow.list, i)
	if at < 0 {
		return false
	}
	if w.Slow.list = slices.Delete(w.Slow.list, at, at+1); len(w.Slow.list) == 0 {
		w.Slow = nil
	}
	c.Slow[k]--
	return true
}

// offerCopy offers a free slot of n to the slow tasks of j, which has none to launch.
func (c *Core) offerCopy(j *Job, n *NodeState, k TaskKind) bool {
	w := &j.Work[k]
	if c.Policy.Speculation.Rule == LATE {
		if most := c.mostCopies(j, k); w.Copies >= most {
			return c.Skip(j, n, k, Reason{Cause: CauseCopyCap, Count: int32(w.Copies), Of: int32(most)}, 0)
		}
		if c.SlowNode(j, n) {
			return c.Skip(j, n, k, Reason{Cause: CauseSlowNode}, 0)
		}
	}
	for _, i := range w.ToCopy() {
		if c.Attempts[w.Tasks[i].Att].Node == n {
			continue
		}
		l := AnyPlace
		if k == Map {
			l = c.Level(j, i, n)
		}
		c.Placement[k].Launched(j, n, l)
		c.notSlow(j, k, i)
		c.Launch(j, k, i, n, l, Reason{Cause: CauseSlowTask}, nil)
		return true
	}
	return c.Skip(j, n, k, Reason{Cause: CauseRunsHere}, 0)
}

// mostCopies is how many copies of a kind of task a job may run.
func (c *Core) mostCopies(j *Job, k TaskKind) int {
	p, w := &c.Policy.Speculation, &j.Work[k]
	tasks := float64(w.Running + w.Suspended - w.Copies)
	part := max(cmp.Or(p.Cap, speculativeCap)*tasks, speculativeSlots*float64(c.Slots[k]))
	return max(cmp.Or(p.MinCopies, speculativeMinimum), int(math.Ceil(part-1e-9)))
}

// SlowNode tells whether the tasks of j, of either kind, have been much slower on n than elsewhere:
// those that are done, those that were overtaken and, as in the paper, those that run. Hadoop looks
// at the first alone, and gives copies to nodes so slow that nothing has ended there.
func (c *Core) SlowNode(j *Job, n *NodeState) bool {
	for k := range TaskKind(Kinds) {
		all := c.Slowest.Rates[k][j.Index]
		var here Sample
		if p := c.Paces.Of(j)[k]; p != nil {
			if all.N == 0 {
				all = p.Rates
			}
			if on := p.Nodes[n.ID]; on != nil {
				here = *on
			}
		}
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; a.Job == j && a.ID.Task.Kind == k && c.compares(a) {
				here.add(a.rate(c.Now))
			}
		}
		if here.N > 0 && all.below(here.mean(), cmp.Or(c.Policy.Speculation.SlowNode, 1)) {
			return true
		}
	}
	return false
}
