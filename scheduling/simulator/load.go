package simulator

import (
	"math"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Load is the part of the time of all map slots, and of all reduce slots, that a workload's tasks
// take between its first and its last submission, each task as long as on an idle cluster, a map
// beside its data. At 1 and above the jobs come faster than they can be done. It is +Inf if all jobs
// with such tasks come at the same moment, and jobs that follow another one count as if they came at
// their own time. cfg and w must be valid.
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

// Stretch multiplies the times of submission such that the busier kind of slots has the load target,
// above 0, and returns the factor; 0 if no factor does, as for jobs that all come at once.
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
