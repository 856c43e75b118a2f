package offers

import (
	"cmp"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Name is under what the parts stand in scheduling.Parts, the order and the placement of maps.
const Name = "offers"

// Framework is one of those that share the cluster.
type Framework struct {
	Name   string  // the pool of its jobs
	Weight float64 // of its share, above 0; 0 means 1
	FIFO   bool    // its oldest job goes first; else the one with the fewest running tasks
	// Waits is the framework's own delay scheduling: how long a job of it refuses slots for a node
	// with its data, and then for a rack [Zaharia10 Algorithm 3]. None takes every slot.
	Waits []time.Duration
}

// Config is who shares the cluster. Jobs of pools that it does not name are one more framework, of
// weight 1 and without waits. A job stays with its framework, whatever becomes of its pool.
type Config struct {
	Frameworks []Framework
	// Filter is for how long a framework is not offered a node whose slots it has refused; 0 means
	// that it is offered the next one. It ends when a new job of the framework asks, which revives
	// its offers. Mesos has 5 s.
	Filter time.Duration
}

// Policy is the policy with the parts of Parts. Reduces run anywhere.
func Policy() scheduling.Policy {
	return scheduling.Policy{
		Name: Name, Order: Name, Locality: scheduling.LocalityPolicy{Part: Name},
	}
}

// Parts are the parts for scheduling.Config. They may make several Cores.
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

// of is the index of the framework of a job; that of unnamed pools comes last.
func (c *Config) of(q scheduling.View, id scheduling.JobID) int {
	spec, _ := q.Spec(id) // one that the Core asks about is known
	i := slices.IndexFunc(c.Frameworks, func(f Framework) bool { return f.Name == spec.Pool })
	if i < 0 {
		return len(c.Frameworks)
	}
	return i
}

// framework is the framework of an index.
func (c *Config) framework(i int) Framework {
	if i < len(c.Frameworks) {
		return c.Frameworks[i]
	}
	return Framework{}
}

// master is the order in which frameworks are asked, and their jobs in turn.
type master struct {
	Config
	known map[scheduling.JobID]int // frameworks of jobs
}

// framed is the framework of a job, looked up once.
func (m *master) framed(q scheduling.View, id scheduling.JobID) int {
	i, ok := m.known[id]
	if !ok {
		i = m.of(q, id)
		m.known[id] = i
	}
	return i
}

// Forget drops what is kept of a job that has ended.
func (m *master) Forget(id scheduling.JobID) { delete(m.known, id) }

// turn keeps the ranks of a framework's jobs apart from those of the next one.
const turn = 1 << 40

// Rank implements scheduling.JobOrder: the framework with the fewest running tasks for its weight
// goes first, of equals the one named first, with all its jobs in its own order.
func (m *master) Rank(q scheduling.View, id scheduling.JobID, k scheduling.TaskKind) float64 {
	running := make([]int, len(m.Frameworks)+1)
	own := 0
	for _, other := range q.Active() {
		j, err := q.Job(other)
		if err != nil {
			continue
		}
		running[m.framed(q, other)] += j.Kinds[k].Running
		if other == id {
			own = j.Kinds[k].Running
		}
	}
	mine := m.framed(q, id)
	rank := own
	if m.framework(mine).FIFO {
		rank = int(id)
	}
	held := func(i int) float64 {
		return float64(running[i]) / cmp.Or(m.framework(i).Weight, 1)
	}
	for i := range running {
		if h := held(i); i != mine && (h < held(mine) || h == held(mine) && i < mine) {
			rank += turn
		}
	}
	return float64(rank)
}
