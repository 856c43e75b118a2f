package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrUnknownPolicy says that no preset or order has the name asked for.
var ErrUnknownPolicy = errors.New("scheduling: unknown policy")

// preset is one line of the table: a named combination of parts.
type preset struct {
	name   string
	policy Policy
}

// orderEntry is one line of the table of orders.
type orderEntry struct {
	name   string
	make   func(c *Core, p *Policy) (order, error)
	learns [kinds]bool // from the progress of running attempts, by kind
}

// orderTable lists the orders. A new order is a file with its constructor and a line here.
func orderTable() []orderEntry {
	return []orderEntry{
		{name: "fifo", make: newFIFO},
		{name: "fair", make: newNaiveFair},
		{name: "pools", make: newPools},
		{name: "capacity", make: newCapacity},
		{name: "hfsp", make: newHFSP, learns: [kinds]bool{Reduce: true}},
		{name: "srpt", make: newSRPT},
		{name: "quincy", make: newQuincy},
	}
}

// newOrder makes the order that p names, of the table or from outside.
func newOrder(c *Core, p *Policy) (order, error) {
	for _, e := range orderTable() {
		if e.name == p.Order {
			return e.make(c, p)
		}
	}
	if len(c.cfg.Parts.Orders) > 0 {
		return newRankedOrder(c, p.Order)
	}
	return nil, fmt.Errorf("%w: no order %q", ErrUnknownPolicy, p.Order)
}

// presetTable lists the named schedulers. A new policy is a line here.
func presetTable() []preset {
	w := []time.Duration{5 * time.Second, 10 * time.Second}
	wait := LocalityPolicy{Rule: TimedWait, Waits: w}
	return []preset{
		// five priorities, then submission; greedy locality [Hadoop]
		{"fifo", Policy{Order: "fifo", Spread: true}},
		// fewest running tasks first; greedy locality [Zaharia10 Algorithm 1]
		{"fair", Policy{Order: "fair"}},
		// fair with a skip count, for 95 % locality [Zaharia10 Algorithm 2, Equation 2]
		{"delay", Policy{Order: "fair", Locality: LocalityPolicy{Rule: SkipCount, Auto: true}}},
		// pools with weights and shares, two-level wait [Zaharia10 §4]
		{"hfs", Policy{Order: "pools", Spread: true, Locality: wait, Pools: Allocations{PoolPerUser: true}}},
		// hierarchical queues with capacities and user limits [Hadoop]
		{"capacity", Policy{Order: "capacity"}},
		// projected finish under processor sharing, by estimated sizes [HFSP]
		{"hfsp", Policy{Order: "hfsp", Locality: wait}},
		// least work left first, sizes known: a bound
		{"srpt", Policy{Order: "srpt"}},
		// a flow of least cost, with fair shares and kills [Isard09]
		{"quincy", Policy{Order: "quincy"}},
	}
}

// Presets lists the names of the presets, in the order of the table.
func Presets() []string {
	var names []string
	for _, p := range presetTable() {
		names = append(names, p.name)
	}
	return names
}

// Orders lists the names of the orders, in the order of the table.
func Orders() []string {
	var names []string
	for _, o := range orderTable() {
		names = append(names, o.name)
	}
	return names
}

// DefaultSlowStart is the share of a job's maps that must be done before its reduces launch, unless
// the policy or the job says another one [Hadoop].
const DefaultSlowStart = 0.05

// DefaultReduceRule is where a cluster puts reduces under the named preset unless told otherwise: at
// their center of gravity under hfs, the engine's own scheduler; on any node, as Hadoop does, under
// the others, which are baselines.
func DefaultReduceRule(preset string) ReduceRule {
	if preset == "hfs" {
		return CoGRS
	}
	return AnyNode
}

// Preset gives the named policy with its default settings: reduces on any node, default slow start.
// The caller may change it.
func Preset(name string) (Policy, error) {
	for _, p := range presetTable() {
		if p.name == name {
			pol := p.policy
			pol.Name, pol.SlowStart = name, -1
			return pol, nil
		}
	}
	return Policy{}, fmt.Errorf("%w %q (have %s)", ErrUnknownPolicy, name, strings.Join(Presets(), ", "))
}
