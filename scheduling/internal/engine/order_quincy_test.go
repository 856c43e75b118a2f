package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// cheapest is the least cost of all ways to put the maps that wait on free slots, as the paper has
// it, by trying all.
type cheapest struct {
	o     *quincy
	asks  *node
	maps  []TaskID
	free  map[NodeID]int
	count map[JobID]int32
	least int64
}

func (b *cheapest) try(i int, cost int64) {
	if i == len(b.maps) {
		b.least = min(b.least, cost)
		return
	}
	b.try(i+1, cost)
	id := b.maps[i]
	j := b.o.c.job(id.Job)
	bounds, ran := b.o.of[j.index], int32(j.w[Map].running)+b.count[id.Job]
	if ran >= bounds.most {
		return
	}
	off := b.o.waiting(j)
	if ran < bounds.least {
		off += netMust
	}
	for _, n := range b.o.c.nodes {
		if b.free[n.id] == 0 {
			continue
		}
		b.free[n.id]--
		b.count[id.Job]++
		b.try(i+1, cost-off+b.o.cost(b.o.c.level(j, id.Index, n))+b.o.silence(n, b.asks.id))
		b.count[id.Job]--
		b.free[n.id]++
	}
}

// What the network leaves out, gathers and takes off elsewhere changes no cost: the flow of small
// clusters costs what the best of all ways costs, and the plan is such a way.
func TestQuincyPlansAtLeastCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset("quincy")
		require.NoError(t, err)
		p.Quincy.Rule = rapid.SampledFrom([]QuincyRule{QFP, Q}).Draw(t, "rule")
		p.Quincy.Floor = rapid.SampledFrom([]float64{-1, 0, 0.5}).Draw(t, "floor")
		c, err := NewCore(Config{HeartbeatInterval: time.Second}, p)
		require.NoError(t, err)
		nodes := rapid.IntRange(1, 3).Draw(t, "nodes")
		for i := range nodes {
			_, err := c.Join(0, Node{Name: fmt.Sprint(i), Rack: fmt.Sprint(i / 2), MapSlots: rapid.IntRange(0, 2).Draw(t, "slots")})
			require.NoError(t, err)
		}
		node := rapid.Int32Range(0, int32(nodes-1))
		left := 6
		for range rapid.IntRange(1, 3).Draw(t, "jobs") {
			s := JobSpec{Maps: rapid.IntRange(0, left).Draw(t, "maps"), Priority: Priority(rapid.IntRange(-1, 1).Draw(t, "priority"))}
			left -= s.Maps
			s.Places.Offsets = []int32{0}
			for range s.Maps {
				for range rapid.IntRange(0, 2).Draw(t, "replicas") {
					s.Places.Nodes = append(s.Places.Nodes, NodeID(node.Draw(t, "place")))
				}
				s.Places.Offsets = append(s.Places.Offsets, int32(len(s.Places.Nodes)))
			}
			_, err := c.Submit(c.now, s)
			require.NoError(t, err)
			c.now += time.Duration(rapid.IntRange(0, 6000).Draw(t, "ms")) * time.Millisecond
			if rapid.Bool().Draw(t, "beat") {
				beat(t, c, c.now, NodeID(node.Draw(t, "node")))
			}
		}
		o, asks := c.order.(*quincy), c.nodes[node.Draw(t, "asks")]
		b := &cheapest{o: o, asks: asks, free: map[NodeID]int{}, count: map[JobID]int32{}}
		o.held = reach(o.held, int32(len(c.nodes)-1))
		o.held[asks.id] = 0
		o.computeBounds()
		for _, n := range c.nodes {
			b.free[n.id] = n.free(Map)
		}
		for _, j := range c.active {
			for m := range j.w[Map].tasks {
				if !j.state.Ended() && j.w[Map].tasks[m].state == taskPending {
					b.maps = append(b.maps, TaskID{j.id, Map, int32(m)})
				}
			}
		}
		b.try(0, 0)
		o.build(asks.id, false)
		o.net.g.Solve(netSource, netSink)
		require.Equal(t, b.least, o.net.g.Cost())
		o.makePlan(asks)
		require.LessOrEqual(t, len(o.plan), len(b.maps))
	})
}

// A round kills nothing where nothing is cheaper: what the last one left, it leaves.
func TestQuincyRoundsComeToRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset("quincy")
		require.NoError(t, err)
		p.Quincy.Interval = -1
		p.Quincy.Rule = rapid.SampledFrom([]QuincyRule{QFP, QP}).Draw(t, "rule")
		c, err := NewCore(Config{}, p)
		require.NoError(t, err)
		for i := range 3 {
			_, err := c.Join(0, Node{Name: fmt.Sprint(i), Rack: fmt.Sprint(i / 2), MapSlots: 2})
			require.NoError(t, err)
		}
		now := time.Duration(0)
		for range rapid.IntRange(1, 5).Draw(t, "jobs") {
			maps := rapid.IntRange(1, 8).Draw(t, "maps")
			_, err := c.Submit(now, JobSpec{Maps: maps, Places: on(maps, NodeID(rapid.IntRange(0, 2).Draw(t, "place")))})
			require.NoError(t, err)
			now += time.Duration(rapid.IntRange(0, 9000).Draw(t, "ms")) * time.Millisecond
			for n := range NodeID(3) {
				beat(t, c, now, n)
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
				for n := range NodeID(3) {
					beat(t, c, now, n)
				}
			}
		}
		for n := range NodeID(3) {
			beat(t, c, now+10*time.Second, n)
		}
		for _, n := range c.nodes {
			require.False(t, n.free(Map) > 0 && c.waiting[Map] > 0, "who has waited long takes any slot")
		}
	})
}

// Reading from the rack costs Rack, from beyond all that nodes have in common Far, and the levels
// between lie evenly between.
func TestQuincyCosts(t *testing.T) {
	p, err := Preset("quincy")
	require.NoError(t, err)
	p.Quincy.Rack, p.Quincy.Far = time.Second, 10*time.Second
	c, err := NewCore(Config{RackDepth: 3}, p)
	require.NoError(t, err)
	_, err = c.Join(0, Node{Name: "a", Rack: "/x/y", MapSlots: 1})
	require.NoError(t, err)
	o := c.order.(*quincy)
	var got []int64
	for l := NodeLocal; l <= c.far; l++ {
		got = append(got, o.cost(l))
	}
	require.Equal(t, []int64{0, 1000, 4000, 7000, 10_000}, got)
	require.Zero(t, o.cost(AnyPlace), "what has no place is near everywhere")
}
