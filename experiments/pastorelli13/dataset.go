package pastorelli13

import (
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The policies of trio.
const (
	fifo = iota
	fair
	hfsp
)

// trio are FIFO, FAIR and HFSP, the last two with delay scheduling, all with some changes.
func trio(changes ...study.Change) study.Contenders {
	delay := append([]study.Change{setup.Waits(5*time.Second, 0), setup.Packed}, changes...)
	return study.Contenders{
		study.Policy("FIFO", "fifo", changes...), study.Policy("FAIR", "hfs", delay...),
		study.Policy("HFSP", "hfsp", delay...),
	}
}

// The computing times of the FB-dataset's tasks.
const computeMap, computeReduce = 60 * time.Second, 120 * time.Second

// fbTasks is the FB-dataset with tasks that compute for some time, with some variance.
func fbTasks(maps, reduces time.Duration) study.Load {
	return study.Changed(workload.FBDataset, func(j *workload.Job) {
		j.Map.Time, j.Map.Spread = maps, 0.2
		j.Reduce.Time, j.Reduce.Spread = reduces, 0.2
	})
}

// mapOnly is that dataset without reduces.
func mapOnly(maps time.Duration) study.Load {
	return func(r *rand.Rand) workload.Workload { return workload.MapOnly(fbTasks(maps, 0)(r)) }
}
