package offers

import (
	"cmp"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Name is the name of the parts in scheduling.Parts: the order and the placement of maps.
const Name = "offers"

// Framework is one of the frameworks that share the cluster.
type Framework struct {
	Name   string  // the pool of its jobs
	Weight float64 // of its share, above 0; 0 means 1
	FIFO   bool    // its oldest job goes first; otherwise the one with the fewest running tasks
	// Waits configures the framework's delay scheduling: how long its jobs refuse slots while they
	// wait for a node-local and then a rack-local slot [Zaharia10 Algorithm 3]. If empty, they take
	// every slot.
	Waits []time.Duration
}

// Config lists the frameworks. Jobs of other pools form one more framework, of weight 1 and without
// waits. A job stays with its framework even if its pool changes.
type Config struct {
	Frameworks []Framework
	// Filter is the time for which a framework is not offered a node whose slots it has refused; 0
	// means that it is offered the next slot. A new job of the framework revives its offers. Mesos
	// uses 5 s.
	Filter time.Duration
}

// Policy returns the policy that uses the parts of Parts. Reduces run anywhere.
func Policy() scheduling.Policy {
	return scheduling.Policy{
		Name: Name, Order: Name, Locality: scheduling.LocalityPolicy{Part: Name},
	}
}

// Parts returns the parts for scheduling.Config. They may be used by several Cores.
func Parts(c Config) scheduling.Parts {
	c.Frameworks = slices.Clone(c.Frameworks)
	return scheduling.Parts{
		Orders: map[string]func() scheduling.JobOrder{
			Name: func() scheduling.JobOrder { return &master{c, map[scheduling.JobID]int{}} },
		},
		Maps: map[string]func() scheduling.MapPlacement{
			Name: func() scheduling.MapPlacement {
				return &replies{
					Config: c, jobs: map[scheduling.JobID]*waiting{}, filters: map[place]time.Duration{},
				}
			},
		},
	}
}

// of returns the index of a job's framework; the one for other pools comes last.
func (c *Config) of(q scheduling.View, id scheduling.JobID) int {
	spec, _ := q.Spec(id) // the Core asks only about known jobs
	i := slices.IndexFunc(c.Frameworks, func(f Framework) bool { return f.Name == spec.Pool })
	if i < 0 {
		return len(c.Frameworks)
	}
	return i
}

// framework returns the framework at an index.
func (c *Config) framework(i int) Framework {
	if i < len(c.Frameworks) {
		return c.Frameworks[i]
	}
	return Framework{}
}

// master orders frameworks, and the jobs within each.
type master struct {
	Config
	frameworkIndex map[scheduling.JobID]int // index of each job's framework, see Config.of
}

// frameworkOf returns the index of a job's framework and remembers it, since the job's pool may
// change.
func (m *master) frameworkOf(q scheduling.View, id scheduling.JobID) int {
	i, ok := m.frameworkIndex[id]
	if !ok {
		i = m.of(q, id)
		m.frameworkIndex[id] = i
	}
	return i
}

// Forget drops the record of a job that has ended.
func (m *master) Forget(id scheduling.JobID) { delete(m.frameworkIndex, id) }

// frameworkGap separates the ranks of a framework's jobs from those of the next one. It exceeds
// every job ID and number of tasks.
const frameworkGap = 1 << 40

// Rank implements scheduling.JobOrder: the framework with the fewest running tasks per weight goes
// first (the first named among equals), with all its jobs in its own order.
func (m *master) Rank(q scheduling.View, id scheduling.JobID, k scheduling.TaskKind) float64 {
	running := make([]int, len(m.Frameworks)+1)
	own := 0
	for _, other := range q.Active() {
		j, err := q.Glance(other)
		if err != nil {
			continue
		}
		running[m.frameworkOf(q, other)] += j.Kinds[k].Running
		if other == id {
			own = j.Kinds[k].Running
		}
	}
	mine := m.frameworkOf(q, id)
	rank := own
	if m.framework(mine).FIFO {
		rank = int(id)
	}
	load := func(i int) float64 {
		return float64(running[i]) / cmp.Or(m.framework(i).Weight, 1)
	}
	for i := range running {
		if h := load(i); i != mine && (h < load(mine) || h == load(mine) && i < mine) {
			rank += frameworkGap
		}
	}
	return float64(rank)
}
