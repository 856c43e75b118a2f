package pastorelli13

import (
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The indexes of the policies of trio.
const (
	fifo = iota
	fair
	hfsp
)

// cluster returns EC2 with the heartbeats of Hadoop 0.21: every second with 100 nodes.
func cluster() simulator.Config {
	cfg := setup.EC2()
	cfg.Interval = time.Second
	return cfg
}

// trio returns FIFO, FAIR and HFSP with the given changes; FAIR and HFSP use delay scheduling. FAIR
// has one pool and the defaults of the Fair Scheduler, such as waits of 1.5 heartbeats.
func trio(changes ...study.Change) study.Contenders {
	onePool := func(p *scheduling.Policy) { p.Pools.PoolPerUser = false }
	with := func(list ...study.Change) []study.Change { return append(list, changes...) }
	return study.Contenders{
		study.Policy("FIFO", "fifo", changes...),
		study.Policy("FAIR", "hfs", with(setup.Waits(1500*time.Millisecond, 0), setup.Packed, onePool)...),
		study.Policy("HFSP", "hfsp", with(setup.Waits(5*time.Second, 0), setup.Packed)...),
	}
}

// The computing times of the FB-dataset's tasks, and the sigma of the lognormal factor on them.
const (
	computeMap, computeReduce = 170 * time.Second, 120 * time.Second
	variance                  = 0.05
)

// fbTasks returns the FB-dataset whose tasks compute for these times on average.
func fbTasks(maps, reduces time.Duration) study.Load {
	return study.Changed(workload.FBDataset, func(j *workload.Job) {
		j.Map.Time, j.Map.Spread = maps, variance
		j.Reduce.Time, j.Reduce.Spread = reduces, variance
	})
}

// mapOnly returns the FB-dataset without reduces, with this computing time of maps.
func mapOnly(maps time.Duration) study.Load {
	return func(r *rand.Rand) workload.Workload { return workload.MapOnly(fbTasks(maps, 0)(r)) }
}
