package setup

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Waits returns a change: maps wait w1 for a node and w2 more for a rack. Zero waits are greedy
// locality.
func Waits(w1, w2 time.Duration) func(*scheduling.Policy) {
	return func(p *scheduling.Policy) {
		p.Locality = scheduling.LocalityPolicy{
			Rule: scheduling.TimedWait, Waits: []time.Duration{w1, w2},
		}
		if w1 == 0 && w2 == 0 {
			p.Locality = scheduling.LocalityPolicy{Rule: scheduling.Greedy}
		}
	}
}

// Packed turns off Policy.Spread, which limits the tasks of a node in an under-loaded cluster.
func Packed(p *scheduling.Policy) { p.Spread = false }

// Capped limits the jobs of a quick run to 400 maps and a number of reduces. A full run keeps its
// workload.
func Capped(s *study.Study, reduces int, load study.Load) study.Load {
	if !s.Quick {
		return load
	}
	const maps = 400
	return study.Changed(load, func(j *workload.Job) {
		if j.Maps > maps {
			j.InputBytes = j.InputBytes / int64(j.Maps) * int64(maps)
			j.ShuffleBytes = j.ShuffleBytes / int64(j.Maps) * int64(maps)
			j.Maps = maps
		}
		j.Reduces = min(j.Reduces, reduces)
	})
}
