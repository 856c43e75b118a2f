package quincy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// built has this package's order, the only part that the tests' policies name.
var built = &core.Policies{Orders: map[string]func(*core.Core, *model.Policy) (core.Order, error){"quincy": New}}

func quincyCore(t require.TestingT, cfg core.Config, p model.QuincyPolicy, nodes ...model.Node) (*core.Core, *Order) {
	c := coretest.New(t, built, cfg, model.Policy{Order: "quincy", Quincy: p}, nodes...)
	return c, c.Order.(*Order)
}

// cheapest finds the minimum cost of all assignments of waiting maps to free slots, by trying all,
// with the costs of [Isard09].
type cheapest struct {
	o     *Order
	asks  *core.NodeState
	maps  []model.TaskID
	free  map[model.NodeID]int
	count map[model.JobID]int32
	least int64
}

func (b *cheapest) try(i int, cost int64) {
	if i == len(b.maps) {
		b.least = min(b.least, cost)
		return
	}
	b.try(i+1, cost)
	id := b.maps[i]
	j := b.o.C.Job(id.Job)
	bounds, ran := b.o.Of.Of(j), int32(j.Work[model.Map].Running)+b.count[id.Job]
	if ran >= bounds.Max {
		return
	}
	off := b.o.waiting(j)
	if ran < bounds.Min {
		off += netMust
	}
	for _, n := range b.o.C.Nodes {
		if b.free[n.ID] == 0 {
			continue
		}
		b.free[n.ID]--
		b.count[id.Job]++
		b.try(i+1, cost-off+b.o.cost(b.o.C.Level(j, id.Index, n))+b.o.silenceCost(n, b.asks.ID))
		b.count[id.Job]--
		b.free[n.ID]++
	}
}

// The flow costs as much as the cheapest assignment in a small cluster, and the plan is one of that
// cost. So the network is right, although it omits arcs and vertices of the paper.
func TestQuincyPlansAtLeastCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := model.QuincyPolicy{
			Rule:  rapid.SampledFrom([]model.QuincyRule{model.QFP, model.Q}).Draw(t, "rule"),
			Floor: rapid.SampledFrom([]float64{-1, 0, 0.5}).Draw(t, "floor"),
		}
		nodes := rapid.IntRange(1, 3).Draw(t, "nodes")
		machines := coretest.Racks([2]int{}, 2, 1)[:nodes]
		for i := range machines {
			machines[i].MapSlots = rapid.IntRange(0, 2).Draw(t, "slots")
		}
		c, o := quincyCore(t, core.Config{HeartbeatInterval: time.Second}, p, machines...)
		node := rapid.Int32Range(0, int32(nodes-1))
		left := 6
		for range rapid.IntRange(1, 3).Draw(t, "jobs") {
			s := model.JobSpec{Maps: rapid.IntRange(0, left).Draw(t, "maps"), Priority: model.Priority(rapid.IntRange(-1, 1).Draw(t, "priority"))}
			left -= s.Maps
			s.Places.Offsets = []int32{0}
			for range s.Maps {
				for range rapid.IntRange(0, 2).Draw(t, "replicas") {
					s.Places.Nodes = append(s.Places.Nodes, model.NodeID(node.Draw(t, "place")))
				}
				s.Places.Offsets = append(s.Places.Offsets, int32(len(s.Places.Nodes)))
			}
			coretest.Submit(t, c, s)
			c.Now += time.Duration(rapid.IntRange(0, 6000).Draw(t, "ms")) * time.Millisecond
			if rapid.Bool().Draw(t, "beat") {
				coretest.Beat(t, c, c.Now, model.NodeID(node.Draw(t, "node")))
			}
		}
		asks := c.Nodes[node.Draw(t, "asks")]
		b := &cheapest{o: o, asks: asks, free: map[model.NodeID]int{}, count: map[model.JobID]int32{}}
		o.PlannedAt = core.Reach(o.PlannedAt, int32(len(c.Nodes)-1))
		o.PlannedAt[asks.ID] = 0
		o.computeBounds()
		for _, n := range c.Nodes {
			b.free[n.ID] = n.Free(model.Map)
		}
		for _, j := range c.Active {
			for m := range j.Work[model.Map].Tasks {
				if !j.State.Ended() && j.Work[model.Map].Tasks[m].State == core.TaskPending {
					b.maps = append(b.maps, model.TaskID{Job: j.ID, Kind: model.Map, Index: int32(m)})
				}
			}
		}
		b.try(0, 0)
		o.build(asks.ID, false)
		o.net.g.Solve(netSource, netSink)
		require.Equal(t, b.least, o.net.g.Cost())
		o.makePlan(asks)
		require.LessOrEqual(t, len(o.Plan), len(b.maps))
	})
}

// A preemption round right after another one kills nothing.
func TestQuincyRoundsComeToRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := model.QuincyPolicy{Interval: -1, Rule: rapid.SampledFrom([]model.QuincyRule{model.QFP, model.QP}).Draw(t, "rule")}
		c, _ := quincyCore(t, core.Config{}, p, coretest.Racks([2]int{2, 0}, 2, 1)...)
		now := time.Duration(0)
		for range rapid.IntRange(1, 5).Draw(t, "jobs") {
			maps := rapid.IntRange(1, 8).Draw(t, "maps")
			coretest.Submit(t, c, model.JobSpec{Maps: maps, Places: coretest.On(maps, model.NodeID(rapid.IntRange(0, 2).Draw(t, "place")))})
			now += time.Duration(rapid.IntRange(0, 9000).Draw(t, "ms")) * time.Millisecond
			for n := range model.NodeID(3) {
				coretest.Beat(t, c, now, n)
			}
		}
		for round := 0; ; round++ {
			killed, err := c.Preempt(now)
			require.NoError(t, err)
			if len(killed) == 0 {
				break
			}
			require.Less(t, round, 2, "%v", killed)
			for range 2 {
				for n := range model.NodeID(3) {
					coretest.Beat(t, c, now, n)
				}
			}
		}
		for n := range model.NodeID(3) {
			coretest.Beat(t, c, now+10*time.Second, n)
		}
		for _, n := range c.Nodes {
			require.False(t, n.Free(model.Map) > 0 && c.Waiting[model.Map] > 0, "who has waited long takes any slot")
		}
	})
}

// Reading from another node of the rack costs Rack, reading from a node beyond costs Far.
func TestQuincyCosts(t *testing.T) {
	p := model.QuincyPolicy{Rack: time.Second, Far: 10 * time.Second}
	_, o := quincyCore(t, core.Config{}, p)
	require.Equal(t, []int64{0, 1000, 10_000}, []int64{o.cost(model.NodeLocal), o.cost(model.RackLocal), o.cost(model.OffRack)})
	require.Zero(t, o.cost(model.AnyPlace), "what has no place is near everywhere")
}
