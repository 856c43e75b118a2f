package simulator

import (
	"math"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

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
			work += s.expected(j, scheduling.TaskKind(k)).Seconds() * float64(tasks*max(1, j.SlotsPerTask))
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
