package engine

import (
	"fmt"
	"strings"
	"time"
)

// preset is one line of the table: a named combination of parts.
type preset struct {
	name   string
	policy Policy
}

// orders lists the orders. A new order is a file with its constructor and a line here.
var orders = []struct {
	name string
	make func(c *Core, p *Policy) (order, error)
}{
	{"fifo", newFIFO},
	{"fair", newNaiveFair},
	{"pools", newPools},
	{"capacity", newCapacity},
	{"hfsp", newHFSP},
	{"srpt", newSRPT},
	{"quincy", newQuincy},
}

// built are the policies of the tables.
var built = func() *Policies {
	p := &Policies{
		Orders: map[string]func(c *Core, p *Policy) (order, error){},
		Maps: map[LocalityRule]func(c *Core, p LocalityPolicy, former placement) placement{
			SkipCount: newSkipCount, TimedWait: newTimedWait,
		},
		Reduces: map[ReduceRule]func(c *Core, p ReducePolicy, former placement) placement{
			CoGRS: newCoGRS, LARTS: newCoGRS,
		},
	}
	for _, o := range orders {
		p.Orders[o.name] = o.make
	}
	return p
}()

// NewCore makes a Core with policy p. The error, if any, wraps ErrBadConfig or ErrUnknownPolicy and
// names every fault.
func NewCore(cfg Config, p Policy) (*Core, error) { return New(built, cfg, p) }

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
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

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
