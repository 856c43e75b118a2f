package simulator

import (
	"cmp"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// expected returns the mean duration of a job's tasks of kind k on an idle cluster. Maps count as
// node-local; reduces fetch at the rate within a rack.
func (s *sim) expected(j *simJob, k scheduling.TaskKind) time.Duration {
	cl, w := &s.cfg.Cluster, j.spec
	if j.recorded != nil {
		return j.recorded.mean(k)
	}
	cost, tasks, bytes, rate := &w.Map, w.Maps, w.InputBytes, cl.ReadRate
	if k == scheduling.Reduce {
		cost, tasks, bytes, rate = &w.Reduce, w.Reduces, w.ShuffleBytes, s.cfg.Network.ShuffleRate
	}
	if tasks == 0 {
		return 0
	}
	each := float64(bytes) / float64(tasks)
	t := max(cmp.Or(cost.Setup, cl.Setup), 0).Seconds() + each/rate + cost.Time.Seconds()
	t += s.cpu(cost, each)
	if k == scheduling.Reduce && cl.MergeRate > 0 {
		t += each / cl.MergeRate
	}
	if k == scheduling.Reduce || w.Reduces == 0 {
		t += float64(w.OutputBytes) / float64(tasks) / cl.ReadRate
	}
	return seconds(t)
}

// alone estimates a job's duration on an idle cluster: full waves of maps, then of reduces.
func (s *sim) alone(j *simJob) time.Duration {
	cl, w := &s.cfg.Cluster, j.spec
	all := s.cfg.JobSetup + s.cfg.JobCleanup
	for k, tasks := range [2]int{w.Maps, w.Reduces} {
		slots := cl.slots()[k] / max(1, w.SlotsPerTask)
		if tasks > 0 && slots > 0 {
			all += s.expected(j, scheduling.TaskKind(k)) * time.Duration((tasks+slots-1)/slots)
		}
	}
	return all
}

// tell sets spec.MapTime and ReduceTime, which policies read: the expected times, multiplied by one
// random factor per job from 1-SizeError to 1+SizeError [Pastorelli13 §4.3]. Policies that use
// sizes get them for all jobs, others only for jobs with TellTimes.
func (s *sim) tell(j *simJob, spec *scheduling.JobSpec) {
	p := &s.cfg.Policy
	if s.cfg.Untold || !j.spec.TellTimes && p.Order != "srpt" && !(p.Order == "hfsp" && p.HFSP.NoTraining) {
		return
	}
	factor := 1 + s.cfg.SizeError*(2*unit(draw(s.cfg.Seed, forSizeError, uint64(j.index)))-1)
	told := func(k scheduling.TaskKind) time.Duration {
		t := s.expected(j, k)
		if t == 0 {
			return 0
		}
		return max(time.Duration(math.Round(float64(t)*factor)), time.Microsecond)
	}
	spec.MapTime, spec.ReduceTime = told(scheduling.Map), told(scheduling.Reduce)
}

// Load returns, for map slots and for reduce slots, the fraction of their time that a workload's
// tasks take between its first and last submission. Each task takes as long as on an idle cluster,
// maps node-local. At 1 and above, jobs arrive faster than they can be done. The load is +Inf if
// all jobs with such tasks arrive at the same time; jobs that follow another one count at their own
// time. cfg and w must be valid.
func Load(cfg Config, w *workload.Workload) (load [2]float64) {
	s := &sim{cfg: cfg.withDefaults()}
	cl := &s.cfg.Cluster
	if len(w.Jobs) == 0 {
		return load
	}
	span := (w.Jobs[len(w.Jobs)-1].Submit - w.Jobs[0].Submit).Seconds()
	for k, slots := range cl.slots() {
		work := 0.0
		for i := range w.Jobs {
			j := &w.Jobs[i]
			tasks := [2]int{j.Maps, j.Reduces}[k]
			work += s.expected(&simJob{spec: j}, scheduling.TaskKind(k)).Seconds() * float64(tasks*max(1, j.SlotsPerTask))
		}
		if work > 0 {
			load[k] = work / (span * float64(slots))
		}
	}
	return load
}

// Stretch scales the times of submission such that the busier kind of slots has the load target,
// above 0, and returns the factor. It returns 0 if this is impossible, as when all jobs arrive at
// once.
func Stretch(cfg Config, w *workload.Workload, target float64) (factor float64) {
	load := Load(cfg, w)
	now := max(load[0], load[1])
	if now == 0 || math.IsInf(now, 1) || math.IsNaN(now) {
		return 0
	}
	factor = now / target
	w.Stretch(factor)
	return factor
}
