// Package speculate finds tasks that are so slow that a copy of them is worth a slot [Zaharia08].
package speculate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// The defaults [Hadoop 0.21 JobInProgress, JobConf].
const (
	speculativeLag     = 60 * time.Second
	speculativeCap     = 0.1
	speculativeSlots   = 0.01
	speculativeMinimum = 10
	nativeGap          = 0.2
)

// Rule finds them by Hadoop's first rule or by LATE, or not at all.
type Rule struct {
	c       *core.Core
	pol     core.SpeculationPolicy
	Slowest slowest
	Paces   core.Records[Paces]
}

// New makes the rule of p; it takes over what a former one has learned.
func New(c *core.Core, p core.SpeculationPolicy, former core.Speculation) core.Speculation {
	r := &Rule{c: c, pol: p}
	if old, ok := former.(*Rule); ok {
		r.Slowest, r.Paces = old.Slowest, old.Paces
	}
	return r
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
	Nodes map[core.NodeID]*Sample
}

// Paces are those of a job's tasks, by kind; nil of a kind without a task that is done, or under a
// policy that does not speculate.
type Paces [core.Kinds]*pace

// Succeeded notes how fast an attempt was that has succeeded.
func (r *Rule) Succeeded(a core.Attempt) {
	if r.pol.Rule == core.NoSpeculation {
		return
	}
	p := &r.Paces.Of(a.Job)[a.ID.Task.Kind]
	if *p == nil {
		*p = &pace{Nodes: map[core.NodeID]*Sample{}}
	}
	rate := 1 / max(busy(&a, r.c.Now).Seconds(), 1e-9)
	(*p).Rates.add(rate)
	(*p).on(a.Node).add(rate)
}

// Overtaken notes how fast an attempt was of which another one has done the task: its node may have
// no other to be known by.
func (r *Rule) Overtaken(a *core.Attempt) {
	if p := r.Paces.Of(a.Job)[a.ID.Task.Kind]; p != nil {
		p.on(a.Node).add(rate(a, r.c.Now))
	}
}

// Remove implements core.Speculation.
func (r *Rule) Remove(j *core.Job) { r.Paces.Remove(j) }

// on is the sample of a node.
func (p *pace) on(n *core.NodeState) *Sample {
	if p.Nodes[n.ID] == nil {
		p.Nodes[n.ID] = &Sample{}
	}
	return p.Nodes[n.ID]
}

// slowest is what Look works out anew each time, by kind and index of the job.
type slowest struct {
	Rates    [core.Kinds][]Sample // of running and done tasks
	progress [core.Kinds][]Sample
	found    [core.Kinds][][]slowTask
}

// slowTask is one to be copied: those with the most left come first.
type slowTask struct {
	index int32
	left  float64 // seconds to its end at its rate, +Inf if it has not moved
}

// Look looks for tasks to copy in the jobs that have no task left to launch:
//
//  1. gather the progress rate of each running attempt, progress over the time in which it had work,
//     beside those of the tasks that are done;
//  2. a task is slow if its only attempt has run for the lag, is not suspended, may not commit yet,
//     and by LATE has a rate well below the mean, by the native rule a progress well below it;
//  3. LATE ranks the slow tasks by their time to end, (1 - progress) / rate, the longest first.
//
// Hadoop does this at each heartbeat; here it is part of the periodic step, and heartbeats take
// from the list.
func (r *Rule) Look() {
	if r.pol.Rule == core.NoSpeculation {
		return
	}
	c, s := r.c, &r.Slowest
	s.clear(len(c.ByIndex))
	for _, n := range c.Nodes {
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; r.compares(a) {
				s.gather(a, &r.Paces, c.Now)
			}
		}
	}
	for _, n := range c.Nodes {
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; r.compares(a) && r.tooSlow(a) {
				found := &s.found[a.ID.Task.Kind][a.Job.Index]
				*found = append(*found, slowTask{a.ID.Task.Index, left(a, c.Now)})
			}
		}
	}
	for _, j := range c.Active {
		if !j.State.Ended() {
			for k := range core.TaskKind(core.Kinds) {
				r.rankSlow(j, k, s.found[k][j.Index])
			}
		}
	}
}

func (s *slowest) clear(jobs int) {
	for k := range core.Kinds {
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
func (s *slowest) gather(a *core.Attempt, paces *core.Records[Paces], now time.Duration) {
	j, k := a.Job, a.ID.Task.Kind
	rates, progress := &s.Rates[k][j.Index], &s.progress[k][j.Index]
	if done := j.Work[k].Done; rates.N == 0 {
		if done := paces.Of(j)[k]; done != nil {
			*rates = done.Rates
		}
		*progress = Sample{N: done, Sum: float64(done), Squares: float64(done)}
	}
	rates.add(rate(a, now))
	progress.add(a.Progress)
}

// compares tells whether an attempt belongs to a job whose slow tasks are looked for: one without
// tasks to launch, for reduces also without maps to wait for.
func (r *Rule) compares(a *core.Attempt) bool {
	j, k := a.Job, a.ID.Task.Kind
	return !a.Suspended && j.Work[k].Waiting() == 0 && !r.pol.Except[k] && (k == core.Map || j.Unfinished(core.Map) == 0)
}

// busy is how long an attempt has had work: a reduce, since the job's last map was done. Hadoop
// counts from the launch; then reduces that were launched early and waited look slow beside copies,
// which need not wait, and the copies' rates hide the slow ones.
func busy(a *core.Attempt, now time.Duration) time.Duration {
	if a.ID.Task.Kind == core.Map {
		return a.Worked(now)
	}
	return min(a.Worked(now), now-a.Job.MapsDone)
}

// rate is the attempt's progress a second.
func rate(a *core.Attempt, now time.Duration) float64 {
	return a.Progress / max(busy(a, now).Seconds(), 1e-9)
}

// left is how many seconds the attempt needs to its end at its rate.
func left(a *core.Attempt, now time.Duration) float64 {
	if a.Progress == 0 {
		return math.Inf(1)
	}
	return (1 - a.Progress) / rate(a, now)
}

// tooSlow tells whether the task of an attempt should be copied.
func (r *Rule) tooSlow(a *core.Attempt) bool {
	c, p, k := r.c, &r.pol, a.ID.Task.Kind
	alone := a.Next < 0 && c.Attempts[a.Job.Work[k].Tasks[a.ID.Task.Index].Att].ID == a.ID
	if !alone || a.Granted || busy(a, c.Now) < cmp.Or(p.Lag, speculativeLag) {
		return false
	}
	if p.Rule == core.NativeRule {
		return a.Progress < r.Slowest.progress[k][a.Job.Index].mean()-nativeGap
	}
	rates := r.Slowest.Rates[k][a.Job.Index]
	return rates.below(rate(a, c.Now), cmp.Or(p.SlowTask, 1))
}

// rankSlow puts the slow tasks of a job in order.
func (r *Rule) rankSlow(j *core.Job, k core.TaskKind, found []slowTask) {
	slices.SortFunc(found, func(a, b slowTask) int {
		byTime := 0
		if r.pol.Rule == core.LATE {
			byTime = cmp.Compare(b.left, a.left)
		}
		return cmp.Or(byTime, cmp.Compare(a.index, b.index))
	})
	list := make([]int32, 0, len(found))
	for _, f := range found {
		list = append(list, f.index)
	}
	r.c.SetSlow(j, k, list)
}

// Refusal implements core.Speculation.
func (r *Rule) Refusal(j *core.Job, n *core.NodeState, k core.TaskKind) core.Reason {
	if r.pol.Rule != core.LATE {
		return core.Reason{}
	}
	if copies, most := j.Work[k].Copies, r.mostCopies(j, k); copies >= most {
		return core.Reason{Cause: core.CauseCopyCap, Count: int32(copies), Of: int32(most)}
	}
	if r.slowNode(j, n) {
		return core.Reason{Cause: core.CauseSlowNode}
	}
	return core.Reason{}
}

// mostCopies is how many copies of a kind of task a job may run.
func (r *Rule) mostCopies(j *core.Job, k core.TaskKind) int {
	p, w := &r.pol, &j.Work[k]
	tasks := float64(w.Running + w.Suspended - w.Copies)
	part := max(cmp.Or(p.Cap, speculativeCap)*tasks, speculativeSlots*float64(r.c.Slots[k]))
	return max(cmp.Or(p.MinCopies, speculativeMinimum), int(math.Ceil(part-1e-9)))
}

// slowNode reports whether the tasks of j, of either kind, have been much slower on n than elsewhere:
// those that are done, those that were overtaken and, as in the paper, those that run. Hadoop looks
// at the first alone, and gives copies to nodes so slow that nothing has ended there.
func (r *Rule) slowNode(j *core.Job, n *core.NodeState) bool {
	c := r.c
	for k := range core.TaskKind(core.Kinds) {
		all := r.Slowest.Rates[k][j.Index]
		var here Sample
		if p := r.Paces.Of(j)[k]; p != nil {
			if all.N == 0 {
				all = p.Rates
			}
			if on := p.Nodes[n.ID]; on != nil {
				here = *on
			}
		}
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; a.Job == j && a.ID.Task.Kind == k && r.compares(a) {
				here.add(rate(a, c.Now))
			}
		}
		if here.N > 0 && all.below(here.mean(), cmp.Or(r.pol.SlowNode, 1)) {
			return true
		}
	}
	return false
}
