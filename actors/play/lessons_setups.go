package play

import "time"

// The workloads of the lessons.
const (
	longAndShort = `jobs:
  - {name: long, class: large, maps: 300, map_time: 8s, user: ann}
  - {name: short, class: small, at: 10s, count: 8, gap: 8s, maps: 4, map_time: 4s, user: bob}
`
	smallJobs = `jobs:
  - {name: small, count: 60, gap: exponential 1500ms, maps: 3, map_time: 2s, user: ann}
`
	scarceSlots = `jobs:
  - {name: small, class: small, count: 120, gap: exponential 450ms, maps: 3, map_time: 2s, user: ann}
`
	smallAndLarge = scarceSlots + `  - {name: large, class: large, count: 2, gap: 20s, maps: 100, map_time: 2s, user: bob}
`
	busySmallJobs = `jobs:
  - {name: small, count: 300, gap: exponential 160ms, maps: 3, map_time: 5s, user: ann}
`
	manyJobs = `jobs:
  - {name: job, count: 20, maps: 30, map_time: 6s, user: ann}
`
	prodAndAdhoc = `jobs:
  - {name: adhoc, class: adhoc, maps: 160, map_time: 60s, pool: adhoc, user: ann}
  - {name: prod, class: prod, at: 20s, count: 4, gap: 30s, maps: 10, map_time: 5s, pool: prod, user: bob}
`
	queued = `jobs:
  - {name: adhoc, class: adhoc, maps: 300, map_time: 20s, queue: adhoc, user: ann}
  - {name: prod, class: prod, at: 30s, count: 4, gap: 30s, maps: 12, map_time: 5s, queue: prod, user: bob}
`
	mixedSizes = `jobs:
  - {name: huge, class: large, maps: 400, map_time: 10s, user: ann}
  - {name: middle, class: middle, at: 15s, count: 3, gap: 40s, maps: 80, map_time: 10s, user: bob}
  - {name: tiny, class: small, at: 30s, count: 6, gap: 25s, maps: 6, map_time: 5s, user: cat}
`
	shuffled = `jobs:
  - {name: join, count: 6, gap: 25s, maps: 16, input: 3GB, map_time: 5s, reduces: 4, shuffle_ratio: 1, skew: {cells: 3}, slow_start: 1, user: ann}
`
	skewed = `jobs:
  - {name: join, count: 10, gap: 20s, maps: 24, input: 3GB, map_time: 5s, reduces: 1, shuffle_ratio: 1, slow_start: 1, user: ann}
`
	littleData = `jobs:
  - {name: count, count: 12, gap: 6s, maps: 4, input: 500MB, map_time: 3s, reduces: 3, reduce_time: 10s, shuffle_ratio: 0.001, skew: {cells: 2}, slow_start: 1, user: ann}
`
)

const prodPools = `scheduler: hfs
pools:
  list:
    - {name: prod, min_maps: 20, min_timeout: 5s}
`

const prodQueues = `scheduler: capacity
queues:
  - {name: prod, capacity: 60}
  - {name: adhoc, capacity: 40}
`

// onCluster returns a set-up of this workload, cluster and policy, with the default slots. set
// lists settings KEY=VALUE that override those of the policy.
func onCluster(work string, nodes, racks int, policy string, set ...string) Setup {
	return Setup{Workload: work, Nodes: nodes, Racks: racks, Policy: policy, Set: set}
}

func than(policy string, set ...string) Setup { return Setup{Policy: policy, Set: set} }

func less(a, b string, part float64) Claim { return Claim{a, b, part} }

// sharedLinks returns s with shared links; a rack's uplink has an eighth of its nodes' bandwidth.
func sharedLinks(s Setup) Setup {
	s.Flows, s.Over = true, 8
	return s
}

// seeded returns s with another seed, from which the workload is drawn.
func seeded(s Setup, seed uint64) Setup {
	s.Seed = seed
	return s
}

// twoMapSlots gives each node two map slots.
func twoMapSlots(s Setup) Setup {
	s.MapSlots = 2
	return s
}

// oneSlotEach gives each node one map slot and one reduce slot.
func oneSlotEach(s Setup) Setup {
	s.MapSlots, s.ReduceSlots = 1, 1
	return s
}

// at returns the Sight of a screen at this second of run 0.
func at(screen string, seconds int) Sight {
	return Sight{Screen: screen, At: time.Duration(seconds) * time.Second}
}

// oneReduceSlot gives each node one reduce slot.
func oneReduceSlot(s Setup) Setup {
	s.ReduceSlots = 1
	return s
}

// lessonSetups are the lessons without their texts.
var lessonSetups = []Lesson{
	{
		ID: "fifo", Setup: onCluster(longAndShort, 10, 2, "fifo"), Other: than("fair"), Right: 1,
		Claim: []Claim{less("mean_small1", "mean_small0", 0.5), less("mean_large0", "mean_large1", 1)}, Try: []string{"order=fifo"},
		Open: at("jobs", 40),
	},
	{
		ID: "fair", Setup: oneSlotEach(onCluster(smallAndLarge, 50, 3, "fair")), Other: than("delay"), Right: 0,
		Claim: []Claim{less("local_small0", "local_large0", 0.2), less("local_small0", "local_small1", 0.2), less("mean_small1", "mean_small0", 0.8)}, Try: []string{"locality.rule=greedy"},
		Open: at("compare", 40),
	},
	{
		ID: "sticky", Setup: oneSlotEach(onCluster(manyJobs, 60, 3, "fair")), Other: than("fair", "locality.rule=wait", "locality.waits=5s/0s"), Right: 2,
		Claim: []Claim{less("local0", "local1", 0.3), less("mean1", "mean0", 0.95)}, Try: []string{"locality.waits=1s/0s"},
		Open: at("compare", 70),
	},
	{
		ID: "wait", Setup: oneSlotEach(onCluster(scarceSlots, 50, 3, "delay", "locality.auto=false", "locality.skips=1")), Right: 1,
		Other: than("delay", "locality.auto=false", "locality.skips=20"),
		Claim: []Claim{less("local0", "local1", 0.3), less("mean1", "mean0", 0.8)}, Try: []string{"locality.skips=5"},
		Open: Sight{"compare", 40 * time.Second, 1},
	},
	{
		ID: "levels", Setup: onCluster(smallJobs, 30, 5, "hfs", "locality.waits=1s/0s"), Other: than("hfs", "locality.waits=1s/5s"), Right: 0,
		Claim: []Claim{less("far1", "far0", 0.5)}, Try: []string{"locality.waits=0s/5s"},
		Open: at("compare", 40),
	},
	{
		ID: "long", Setup: twoMapSlots(onCluster(busySmallJobs, 50, 1, "delay", "locality.auto=false", "locality.skips=5")), Right: 2,
		Other: than("delay", "locality.auto=false", "locality.skips=40"),
		Claim: []Claim{less("local0", "local1", 0.5)}, Try: []string{"locality.skips=80"},
		Skips: []int{0, 2, 5, 10, 20, 40, 80},
		Open:  at("compare", 30),
	},
	{
		ID: "pools", Setup: onCluster(prodAndAdhoc, 10, 2, prodPools, "preemption.mode=off"), Other: than(prodPools, "preemption.mode=on"), Right: 1,
		Claim: []Claim{less("mean_prod1", "mean_prod0", 0.7), less("killed0", "killed1", 1), less("mean_adhoc0", "mean_adhoc1", 1)}, Try: []string{"preemption.mode=log"},
		Open: at("compare", 45),
	},
	{
		ID: "queues", Setup: onCluster(queued, 10, 2, prodQueues), Other: than("fifo"), Right: 0,
		Claim: []Claim{less("mean_prod0", "mean_prod1", 0.7)}, Try: []string{"order=fair"},
		Open: at("queues", 28),
	},
	{
		ID: "hfsp", Setup: onCluster(mixedSizes, 10, 2, "hfsp"), Other: than("fair"), Right: 2,
		Claim: []Claim{less("mean0", "mean1", 0.95), less("mean_large1", "mean_large0", 1)}, Try: []string{"order=fifo"},
		Open: at("hfsp", 60),
	},
	{
		ID: "suspend", Setup: onCluster(mixedSizes, 10, 2, "hfsp", "hfsp.reclaim=kill"), Other: than("hfsp"), Right: 1,
		Claim: []Claim{less("lost1", "lost0", 0.1), less("killed1", "killed0", 0.1)}, Try: []string{"hfsp.reclaim=wait"},
		Open: at("compare", 45),
	},
	{
		ID: "distance", Setup: seeded(sharedLinks(onCluster(shuffled, 16, 4, "hfs", "reduce.rule=any")), 41), Other: than("hfs", "reduce.rule=cogrs"), Right: 1,
		Claim: []Claim{less("wtnd1", "wtnd0", 0.9), less("mean1", "mean0", 0.95)}, Try: []string{"reduce.theta=0.2"},
		Open: Sight{"shuffle", 60 * time.Second, 1},
	},
	{
		ID: "larts", Setup: sharedLinks(onCluster(skewed, 16, 4, "hfs", "reduce.rule=larts")), Other: than("hfs", "reduce.rule=cogrs", "reduce.theta=0"), Right: 1,
		Claim: []Claim{less("wtnd1", "wtnd0", 0.97), less("mean1", "mean0", 0.9)}, Try: []string{"reduce.rule=any"},
		Open: Sight{"shuffle", 100 * time.Second, 0},
	},
	{
		ID: "nowait", Setup: oneReduceSlot(onCluster(littleData, 6, 2, "hfs", "reduce.rule=cogrs", "reduce.theta=0", "reduce.node_wait=60s", "reduce.rack_wait=60s")), Other: than("hfs", "reduce.rule=any"), Right: 2,
		Claim: []Claim{less("mean1", "mean0", 0.7), less("wtnd0", "wtnd1", 0.8)}, Try: []string{"reduce.rule=cogrs"},
		Open: at("compare", 40),
	},
}
