package engine

import (
	"fmt"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/capacity"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/custom"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
	"github.com/tarry-mr/tarry/scheduling/internal/flat"
	"github.com/tarry-mr/tarry/scheduling/internal/hfsp"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/pools"
	"github.com/tarry-mr/tarry/scheduling/internal/quincy"
	"github.com/tarry-mr/tarry/scheduling/internal/speculate"
)

// preset is a line of presetTable: a named combination of parts.
type preset struct {
	name   string
	policy model.Policy
}

// orders lists the orders. A new order needs a constructor and a line here.
var orders = []struct {
	name string
	make func(c *core.Core, p *model.Policy) (core.Order, error)
}{
	{"fifo", flat.NewFIFO},
	{"fair", flat.NewFair},
	{"pools", pools.New},
	{"capacity", capacity.New},
	{"hfsp", hfsp.New},
	{"srpt", hfsp.NewSRPT},
	{"quincy", quincy.New},
}

// built holds the constructors of the built-in parts, by the names and rules that a Policy has.
var built = buildPolicies()

func buildPolicies() *core.Policies {
	p := &core.Policies{
		Orders: map[string]func(c *core.Core, p *model.Policy) (core.Order, error){},
		Maps: map[model.LocalityRule]func(c *core.Core, p model.LocalityPolicy, former core.Placement) core.Placement{
			model.SkipCount: delay.NewSkipCount, model.TimedWait: delay.NewTimedWait,
		},
		Reduces: map[model.ReduceRule]func(c *core.Core, p model.ReducePolicy, former core.Placement) core.Placement{
			model.CoGRS: cogrs.New, model.LARTS: cogrs.New,
		},
		Speculate: speculate.New, CustomOrder: custom.NewOrder, Custom: custom.NewPlacement,
	}
	for _, o := range orders {
		p.Orders[o.name] = o.make
	}
	return p
}

// NewCore returns a Core with policy p. Errors wrap ErrBadConfig or ErrUnknownPolicy and name every
// mistake found.
func NewCore(cfg core.Config, p model.Policy) (*core.Core, error) { return core.New(built, cfg, p) }

// presetTable returns the named policies. A new preset is a line here.
func presetTable() []preset {
	w := []time.Duration{5 * time.Second, 10 * time.Second}
	wait := model.LocalityPolicy{Rule: model.TimedWait, Waits: w}
	return []preset{
		// five priorities, then submission; greedy locality [Hadoop]
		{"fifo", model.Policy{Order: "fifo", Spread: true}},
		// fewest running tasks first; greedy locality [Zaharia10 Algorithm 1]
		{"fair", model.Policy{Order: "fair"}},
		// fair with a skip count, for 95 % locality [Zaharia10 Algorithm 2, Equation 2]
		{"delay", model.Policy{Order: "fair", Locality: model.LocalityPolicy{Rule: model.SkipCount, Auto: true}}},
		// pools with weights and shares, two-level wait [Zaharia10 §4]
		{"hfs", model.Policy{Order: "pools", Spread: true, Locality: wait, Pools: model.Allocations{PoolPerUser: true}}},
		// hierarchical queues with capacities and user limits [Hadoop]
		{"capacity", model.Policy{Order: "capacity"}},
		// projected finish under processor sharing, by estimated sizes [HFSP]
		{"hfsp", model.Policy{Order: "hfsp", Locality: wait}},
		// least work left first, sizes known: a bound
		{"srpt", model.Policy{Order: "srpt"}},
		// minimum-cost flow, with fair shares and kills [Isard09]
		{"quincy", model.Policy{Order: "quincy"}},
	}
}

// Presets returns the names of the presets, in the order of the table.
func Presets() []string {
	var names []string
	for _, p := range presetTable() {
		names = append(names, p.name)
	}
	return names
}

// Orders returns the names of the orders, in the order of the table.
func Orders() []string {
	var names []string
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// DefaultReduceRule returns the reduce rule of a cluster whose user names only the preset. It is
// CoGRS for hfs, the engine's own scheduler, and AnyNode, as in Hadoop, for the others, which are
// baselines.
func DefaultReduceRule(preset string) model.ReduceRule {
	if preset == "hfs" {
		return model.CoGRS
	}
	return model.AnyNode
}

// Preset returns the named policy with its default settings: reduces on any node, default slow
// start. The caller may change it: it is a copy.
func Preset(name string) (model.Policy, error) {
	for _, p := range presetTable() {
		if p.name == name {
			pol := p.policy
			pol.Name, pol.SlowStart = name, -1
			return pol, nil
		}
	}
	return model.Policy{}, fmt.Errorf("%w %q (have %s)", core.ErrUnknownPolicy, name, strings.Join(Presets(), ", "))
}
