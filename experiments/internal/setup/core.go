package setup

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// Core is a scheduling core that an experiment drives itself. Study.Check gets its errors, and ends
// the experiment.
type Core struct {
	*scheduling.Core
	check func(error)
}

// NewCore returns a core with the policy of p; check gets all errors.
func NewCore(check func(error), cfg scheduling.Config, p simulator.Contender) Core {
	core, err := scheduling.NewCore(cfg, p.Policy)
	check(err)
	return Core{core, check}
}

// Join adds a node.
func (c Core) Join(n scheduling.Node) scheduling.NodeID {
	id, err := c.Core.Join(0, n)
	c.check(err)
	return id
}

// Submit submits a job.
func (c Core) Submit(j scheduling.JobSpec) scheduling.JobID {
	id, err := c.Core.Submit(0, j)
	c.check(err)
	return id
}

// Beat sends a heartbeat and returns the actions of the answer.
func (c Core) Beat(now time.Duration, h scheduling.Heartbeat) []scheduling.Action {
	got, err := c.Heartbeat(now, h)
	c.check(err)
	return got.Actions
}

// Places returns JobSpec.Places for maps whose data is on the nodes that at returns.
func Places(maps int, at func(i int) []int) scheduling.Places {
	p := scheduling.Places{Offsets: []int32{0}}
	for i := range maps {
		for _, n := range at(i) {
			p.Nodes = append(p.Nodes, scheduling.NodeID(n))
		}
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}
