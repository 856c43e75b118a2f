package simulator

import (
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// alone estimates what a job takes on an idle cluster: full waves of node-local maps of mean length, then of reduces.
func (s *sim) alone(w *workload.Job) time.Duration {
	cl := &s.cfg.Cluster
	waves := func(tasks, slots int) float64 {
		if slots == 0 {
			return 0
		}
		return math.Ceil(float64(tasks) / float64(slots))
	}
	setup := func(own time.Duration) float64 {
		if own == 0 {
			own = cl.Setup
		}
		return max(own, 0).Seconds()
	}
	cpu := func(factor, bytes float64) float64 {
		if cl.CPURate == 0 || factor < 0 {
			return 0
		}
		if factor == 0 {
			factor = 1
		}
		return bytes * factor / cl.CPURate
	}
	bytes := float64(w.InputBytes) / float64(w.Maps)
	t := setup(w.Map.Setup) + bytes/cl.ReadRate + cpu(w.Map.CPU, bytes) + w.Map.Time.Seconds()
	if w.Reduces == 0 {
		t += float64(w.OutputBytes) / float64(w.Maps) / cl.WriteRate
	}
	all := t * waves(w.Maps, len(s.nodes)*cl.MapSlots)
	if w.Reduces > 0 {
		bytes := float64(w.ShuffleBytes) / float64(w.Reduces)
		t := setup(w.Reduce.Setup) + bytes/s.cfg.Network.ShuffleRate + cpu(w.Reduce.CPU, bytes) + w.Reduce.Time.Seconds() +
			float64(w.OutputBytes)/float64(w.Reduces)/cl.WriteRate
		if cl.MergeRate > 0 {
			t += bytes / cl.MergeRate
		}
		all += t * waves(w.Reduces, len(s.nodes)*cl.ReduceSlots)
	}
	return seconds(all + s.cfg.JobSetup.Seconds() + s.cfg.JobCleanup.Seconds())
}
