package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// on gives every map the same places.
func on(maps int, nodes ...core.NodeID) core.Places {
	p := core.Places{Offsets: []int32{0}}
	for range maps {
		p.Nodes = append(p.Nodes, nodes...)
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}

// [Zaharia10 §3.5.1]: the last slot of a node is kept for short tasks.
func TestLongTaskBalancing(t *testing.T) {
	c, nodes := newTestCore(t, "hfs", func(_ *core.Config, p *core.Policy) { p.ReserveLong, p.LongTask = 1, time.Minute })
	_, err := c.Submit(0, core.JobSpec{Name: "long", Maps: 20, MapTime: time.Hour})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 1, nodes[0]), 1)
	require.Empty(t, beat(t, c, 1, nodes[0]))
	_, err = c.Submit(1, core.JobSpec{Name: "short", Maps: 1, MapTime: time.Second})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 1, nodes[0]), 1)
}

// A preemption round never takes a pool below the whole slots of its share.
func TestPreemptionSparesShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset("hfs")
		require.NoError(t, err)
		p.Spread = false
		p.Pools.FairTimeout = 5 * time.Second
		p.Preemption = core.PreemptionPolicy{Mode: core.PreemptOn, Interval: -1}
		for i := range 4 {
			p.Pools.Pools = append(p.Pools.Pools, core.PoolConfig{
				Name: fmt.Sprint("p", i), Weight: rapid.SampledFrom([]float64{1, 2, 3}).Draw(t, "weight"),
				Min: [2]int{rapid.IntRange(0, 3).Draw(t, "min"), 0}, MinTimeout: time.Second,
			})
		}
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		var nodes []core.NodeID
		for i := range 5 {
			id, err := c.Join(0, core.Node{Name: fmt.Sprint(i), MapSlots: 2})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "first") {
			_, err := c.Submit(0, core.JobSpec{Pool: fmt.Sprint("p", i), Maps: rapid.IntRange(1, 12).Draw(t, "maps")})
			require.NoError(t, err)
		}
		for _, n := range nodes {
			beat(t, c, 0, n)
		}
		_, err = c.Submit(time.Second, core.JobSpec{Pool: "p3", Maps: rapid.IntRange(1, 12).Draw(t, "late")})
		require.NoError(t, err)
		require.NoError(t, c.Update(time.Second))
		require.NoError(t, c.Update(20*time.Second))
		before := c.View().Pools()
		_, err = c.Preempt(20 * time.Second)
		require.NoError(t, err)
		for i, after := range c.View().Pools() {
			if after.Kinds[core.Map].Running < before[i].Kinds[core.Map].Running {
				require.GreaterOrEqual(t, float64(after.Kinds[core.Map].Running), float64(int(before[i].Kinds[core.Map].Share)), after.Name)
			}
		}
	})
}

// Under fifo a job launches a map only if every job before it has none left.
func TestFIFOOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset("fifo")
		require.NoError(t, err)
		p.Spread = rapid.Bool().Draw(t, "spread")
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		for i := range 3 {
			_, err := c.Join(0, core.Node{Name: fmt.Sprint(i), MapSlots: 2})
			require.NoError(t, err)
		}
		for now := range time.Duration(40) {
			if rapid.Bool().Draw(t, "submit") {
				_, err := c.Submit(now, core.JobSpec{Maps: rapid.IntRange(1, 4).Draw(t, "maps"), Priority: core.Priority(rapid.IntRange(-2, 2).Draw(t, "priority"))})
				require.NoError(t, err)
			}
			n := core.NodeID(rapid.IntRange(0, 2).Draw(t, "node"))
			var done []core.Status
			for _, ai := range c.Nodes[n].Atts {
				done = append(done, core.Status{Attempt: c.Attempts[ai].ID, State: core.StateSucceeded})
			}
			for _, id := range beat(t, c, now, n, done...) {
				j := c.Job(id.Task.Job)
				for _, k := range allJobs(c) {
					if k.Launchable(core.Map) {
						require.False(t, k.Spec.Priority < j.Spec.Priority || k.Spec.Priority == j.Spec.Priority && k.ID < j.ID)
					}
				}
			}
		}
	})
}

// Without delay no slot idles while a task waits: greedy locality, no spreading, no limits, reduces
// anywhere.
func TestWorkConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset(rapid.SampledFrom([]string{"fair", "hfs", "hfsp", "srpt"}).Draw(t, "preset"))
		require.NoError(t, err)
		p.Locality, p.Spread, p.SlowStart = core.LocalityPolicy{}, false, 0
		y := newPlay(t, p)
		y.fixed = true
		for range 40 {
			y.step(4, 1)
			n := rapid.SampledFrom(y.nodes).Draw(t, "node")
			y.beat(n, 3, 1)
			for k := range core.TaskKind(core.Kinds) {
				at := y.c.Nodes[n]
				if !at.Open() {
					continue
				}
				for _, j := range y.c.Active {
					fits := at.Free(k) >= int(j.Slots) && !y.c.Avoids(j, at)
					require.False(t, !j.State.Ended() && fits && j.Work[k].Waiting() > 0 && j.Launchable(k), "%v idles on %v beside %v", k, n, j.ID)
				}
			}
		}
	})
}
