package offers

import (
	"cmp"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Name is the name under which Parts has the order of jobs and the choice of maps.
const Name = "offers"

// Framework describes one of the frameworks that share the cluster.
type Framework struct {
	Name   string  // jobs of this pool are the framework's
	Weight float64 // weight of its share, above 0; 0 means 1
	FIFO   bool    // order of its jobs: oldest first; otherwise fewest running tasks first
	// Waits are the times of the framework's delay scheduling: its jobs refuse slots, first to wait
	// for a node-local one, then for a rack-local one [Zaharia10 Algorithm 3]. Without any, they
	// accept every slot.
	Waits []time.Duration
}

// Config lists the frameworks. The jobs of all other pools are one more framework, of weight 1 and
// without waits. A job keeps its framework even if its pool changes.
type Config struct {
	Frameworks []Framework
	// Filter is how long a framework is not offered a node after it refused one of its slots; 0:
	// not at all, it is offered the next slot. A new job of the framework ends this. Mesos uses 5
	// s.
	Filter time.Duration
}

// Policy returns the policy that uses the parts returned by Parts. Reduces run on any node.
func Policy() scheduling.Policy {
	return scheduling.Policy{
		Name: Name, Order: Name, Locality: scheduling.LocalityPolicy{Part: Name},
	}
}

// Parts returns the job order and the choice of maps for scheduling.Config. Cores may share them.
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

// of returns the index of a job's framework in c.Frameworks; len(c.Frameworks) is other pools'.
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

// master is the job order: it ranks the frameworks, and the jobs of each.
type master struct {
	Config
	frameworkIndex map[scheduling.JobID]int // by job: index of its framework, see Config.of
}

// frameworkOf returns the index of a job's framework. It stores the index, since the job's pool may
// change later.
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

// frameworkGap is the distance between the ranks of two frameworks' jobs. It exceeds every job ID
// and number of tasks, by which jobs of one framework are ranked.
const frameworkGap = 1 << 40

// Rank implements scheduling.JobOrder. The framework with the fewest running tasks per weight comes
// first, the first listed among equals. Its jobs follow in its own order.
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
