// Package speculate finds tasks slow enough for a speculative attempt [Zaharia08].
package speculate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Defaults and constants of the two rules [Hadoop 0.21 JobInProgress, JobConf].
const (
	speculativeLag     = 60 * time.Second
	speculativeCap     = 0.1
	speculativeSlots   = 0.01
	speculativeMinimum = 10
	nativeGap          = 0.2
)

// Rule finds slow tasks by Hadoop's first rule (native) or by LATE, as the policy says.
type Rule struct {
	c     *core.Core
	pol   model.SpeculationPolicy
	Seen  core.Records[[model.Kinds]seen]
	Paces core.Records[Paces]
}

// New returns the rule that p selects; it keeps the speeds that the former rule has measured.
func New(c *core.Core, p model.SpeculationPolicy, former core.Speculation) core.Speculation {
	r := &Rule{c: c, pol: p}
	if old, ok := former.(*Rule); ok {
		r.Seen, r.Paces = old.Seen, old.Paces
	}
	return r
}

// Sample holds the count, the sum and the sum of squares of numbers.
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

// deviation returns the standard deviation.
func (s *Sample) deviation() float64 {
	m := s.mean()
	return math.Sqrt(max(0, s.Squares/float64(max(1, s.N))-m*m))
}

// below reports whether x is below the mean by more than the given number of standard deviations.
// Numbers that differ only by rounding are equal.
func (s *Sample) below(x, deviations float64) bool {
	return s.mean()-x > max(deviations*s.deviation(), 1e-9*math.Abs(s.mean()))
}

// pace holds the speeds of the finished tasks of one kind of a job. By node it holds those of the
// attempts that have ended because their task was done.
type pace struct {
	Rates Sample // progress per second
	Nodes map[model.NodeID]*Sample
}

// Paces holds the speeds of a job's finished tasks, by kind; nil for a kind without finished tasks,
// or if the policy does not speculate.
type Paces [model.Kinds]*pace

// Succeeded records the speed of an attempt that has succeeded.
func (r *Rule) Succeeded(a core.Attempt) {
	if r.pol.Rule == model.NoSpeculation {
		return
	}
	p := &r.Paces.Of(a.Job)[a.ID.Task.Kind]
	if *p == nil {
		*p = &pace{Nodes: map[model.NodeID]*Sample{}}
	}
	rate := 1 / max(busy(&a, r.c.Now).Seconds(), 1e-9)
	(*p).Rates.add(rate)
	(*p).sampleOn(a.Node).add(rate)
}

// Overtaken records the speed of an attempt whose task was completed by another attempt. A slow
// node may have no other sample.
func (r *Rule) Overtaken(a *core.Attempt) {
	if p := r.Paces.Of(a.Job)[a.ID.Task.Kind]; p != nil {
		p.sampleOn(a.Node).add(rate(a, r.c.Now))
	}
}

// Remove implements core.Speculation.
func (r *Rule) Remove(j *core.Job) { r.Paces.Remove(j) }

// sampleOn returns the sample of attempts on a node.
func (p *pace) sampleOn(n *core.NodeState) *Sample {
	if p.Nodes[n.ID] == nil {
		p.Nodes[n.ID] = &Sample{}
	}
	return p.Nodes[n.ID]
}

// seen is what Look has found of a job's tasks of one kind, until its next call.
type seen struct {
	rates    Sample // of running and finished tasks
	progress Sample
	slow     []slowTask
}

// slowTask is a task that should get a speculative attempt.
type slowTask struct {
	index       int32
	secondsLeft float64 // seconds to its end at its rate, +Inf if it has no progress
}

// Look finds the slow tasks of the jobs that have no tasks left to launch:
//
//  1. Gather the progress rate of each running attempt (progress over the time in which it had
//     work) and those of the finished tasks.
//  2. A task is slow if its only attempt has run for Lag, is not suspended, may not commit yet, and
//     has, by LATE, a rate well below the mean or, by the native rule, a progress well below the
//     mean.
//  3. LATE ranks the slow tasks by their time to end, (1 - progress) / rate, the longest first.
//
// Hadoop does this at each heartbeat. Here it is part of Update; heartbeats use the list that the
// last Update made.
func (r *Rule) Look() {
	if r.pol.Rule == model.NoSpeculation {
		return
	}
	c := r.c
	clear(r.Seen)
	for _, n := range c.Nodes {
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; r.compares(a) {
				r.gather(a)
			}
		}
	}
	for _, n := range c.Nodes {
		for _, ai := range n.Atts {
			if a := &c.Attempts[ai]; r.compares(a) && r.tooSlow(a) {
				found := &r.Seen.Of(a.Job)[a.ID.Task.Kind].slow
				*found = append(*found, slowTask{a.ID.Task.Index, left(a, c.Now)})
			}
		}
	}
	for _, j := range c.Active {
		for k := range model.TaskKind(model.Kinds) {
			r.rankSlow(j, k, r.Seen.Of(j)[k].slow)
		}
	}
}

// gather adds a running attempt to the samples of its job, which begin with the finished tasks.
func (r *Rule) gather(a *core.Attempt) {
	j, k := a.Job, a.ID.Task.Kind
	s := &r.Seen.Of(j)[k]
	if done := j.Work[k].Done; s.rates.N == 0 {
		if done := r.Paces.Of(j)[k]; done != nil {
			s.rates = done.Rates
		}
		s.progress = Sample{N: done, Sum: float64(done), Squares: float64(done)}
	}
	s.rates.add(rate(a, r.c.Now))
	s.progress.add(a.Progress)
}

// compares reports whether an attempt belongs to a job whose slow tasks Look finds: one without
// tasks to launch and, for reduces, with all maps done.
func (r *Rule) compares(a *core.Attempt) bool {
	j, k := a.Job, a.ID.Task.Kind
	return !a.Suspended && j.Work[k].Waiting() == 0 && !r.pol.Except[k] && (k == model.Map || j.Unfinished(model.Map) == 0)
}

// busy returns how long an attempt has had work; for a reduce, since the job's last map was done.
// Hadoop counts from the launch. Then reduces that were launched early and waited look slow
// compared with speculative attempts, which need not wait and whose rates hide the slow ones.
func busy(a *core.Attempt, now time.Duration) time.Duration {
	if a.ID.Task.Kind == model.Map {
		return a.Worked(now)
	}
	return min(a.Worked(now), now-a.Job.MapsDone)
}

// rate returns the attempt's progress per second.
func rate(a *core.Attempt, now time.Duration) float64 {
	return a.Progress / max(busy(a, now).Seconds(), 1e-9)
}

// left returns the seconds to the attempt's end at its present rate; +Inf without progress.
func left(a *core.Attempt, now time.Duration) float64 {
	if a.Progress == 0 {
		return math.Inf(1)
	}
	return (1 - a.Progress) / rate(a, now)
}

// tooSlow reports whether the task of an attempt should get a speculative attempt.
func (r *Rule) tooSlow(a *core.Attempt) bool {
	c, p, k := r.c, &r.pol, a.ID.Task.Kind
	alone := a.Next < 0 && c.Attempts[a.Job.Work[k].Tasks[a.ID.Task.Index].Att].ID == a.ID
	if !alone || a.Granted || busy(a, c.Now) < cmp.Or(p.Lag, speculativeLag) {
		return false
	}
	if p.Rule == model.NativeRule {
		return a.Progress < r.Seen.Of(a.Job)[k].progress.mean()-nativeGap
	}
	return r.Seen.Of(a.Job)[k].rates.below(rate(a, c.Now), cmp.Or(p.SlowTask, 1))
}

// rankSlow sorts the slow tasks of a job and passes them to the Core.
func (r *Rule) rankSlow(j *core.Job, k model.TaskKind, found []slowTask) {
	slices.SortFunc(found, func(a, b slowTask) int {
		byTime := 0
		if r.pol.Rule == model.LATE {
			byTime = cmp.Compare(b.secondsLeft, a.secondsLeft)
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
func (r *Rule) Refusal(j *core.Job, n *core.NodeState, k model.TaskKind) model.Reason {
	if r.pol.Rule != model.LATE {
		return model.Reason{}
	}
	if copies, most := j.Work[k].Copies, r.maxCopies(j, k); copies >= most {
		return model.Reason{Cause: model.CauseCopyCap, Count: int32(copies), Of: int32(most)}
	}
	if r.slowNode(j, n) {
		return model.Reason{Cause: model.CauseSlowNode}
	}
	return model.Reason{}
}

// maxCopies returns how many speculative attempts of kind k job j may have at a time.
func (r *Rule) maxCopies(j *core.Job, k model.TaskKind) int {
	p, w := &r.pol, &j.Work[k]
	tasks := float64(w.Running + w.Suspended - w.Copies)
	part := max(cmp.Or(p.Cap, speculativeCap)*tasks, speculativeSlots*float64(r.c.Slots[k]))
	return max(cmp.Or(p.MinCopies, speculativeMinimum), int(math.Ceil(part-1e-9)))
}

// slowNode reports whether the tasks of j, of either kind, are much slower on n than elsewhere. It
// counts finished and overtaken attempts and, as in the paper, running ones. Hadoop counts only
// finished ones, and starts speculative attempts on nodes so slow that nothing has ended there.
func (r *Rule) slowNode(j *core.Job, n *core.NodeState) bool {
	c := r.c
	for k := range model.TaskKind(model.Kinds) {
		all := r.Seen.Of(j)[k].rates
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
