package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/delay"
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

// [Zaharia10 §3.6]: first D1 offers for the node, then D2 for the rack, then anywhere.
func TestTwoLevelSkipCount(t *testing.T) {
	c, nodes := newTestCore(t, "delay", func(_ *core.Config, p *core.Policy) { p.Locality.Skips = []int{1, 2} })
	_, err := c.Submit(0, core.JobSpec{Maps: 6, Places: on(6, nodes[0])})
	require.NoError(t, err)
	// n3 has two slots a heartbeat, and each offer counts: one for the node, one for the rack; then
	// one more for the rack, and off it goes.
	require.Empty(t, beat(t, c, 1, nodes[2]))
	require.Len(t, beat(t, c, 2, nodes[2]), 1)
	// n2 is in the rack: allowed at once, and the rack is waited for anew, the node is not.
	require.Len(t, beat(t, c, 3, nodes[1]), 2)
	require.Empty(t, beat(t, c, 4, nodes[3]))
	require.Len(t, beat(t, c, 5, nodes[0]), 2)
	v, err := c.View().Locality(1)
	require.NoError(t, err)
	require.Zero(t, v.Skips, "a local launch resets both")
}

// [Zaharia10 Equation 2]: without a count each job lets as many offers pass as give it 95 % locality,
// by its own maps and replicas and the nodes there are at the time.
func TestSkipsForLocality(t *testing.T) {
	for _, maps := range []int{1, 10, 200} {
		for _, replicas := range []int{1, 3} {
			p, err := Preset("delay")
			require.NoError(t, err)
			c, err := NewCore(core.Config{}, p)
			require.NoError(t, err)
			var nodes []core.NodeID
			join := func(n int) {
				for range n {
					id, err := c.Join(1, core.Node{Name: fmt.Sprint(len(nodes)), MapSlots: 1})
					require.NoError(t, err)
					nodes = append(nodes, id)
				}
			}
			join(20)
			_, err = c.Submit(1, core.JobSpec{Maps: maps, Places: on(maps, nodes[:replicas]...)})
			require.NoError(t, err)
			refused := 0
			beatOn := func(n int) {
				for range n {
					require.Empty(t, beat(t, c, 1, nodes[19]), "%d maps, %d replicas, offer %d", maps, replicas, refused)
					refused++
				}
			}
			beatOn(1)
			join(20) // a cluster of 40 asks for more
			beatOn(delaymath.Skips(0.95, maps, 40, replicas) - refused)
			require.Len(t, beat(t, c, 1, nodes[19]), 1)
		}
	}
}

// [Zaharia10 Algorithm 3]: a job at the head of the line launches within W1+W2 of credited waiting, whatever is offered.
func TestHeadOfLineWaitIsBounded(t *testing.T) {
	w1, w2 := 3*time.Second, 4*time.Second
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset("hfs")
		require.NoError(t, err)
		p.Locality.Waits = []time.Duration{w1, w2}
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		var nodes []core.NodeID
		for i := range 6 {
			id, err := c.Join(0, core.Node{Name: fmt.Sprint(i), Rack: fmt.Sprint(i % 3), MapSlots: 1})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
		_, err = c.Submit(0, core.JobSpec{Maps: 50, Places: on(50, nodes[0])})
		require.NoError(t, err)
		var now, waited, last time.Duration
		offered := false
		for range 40 {
			now += time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond
			if offered {
				waited += now - last
			}
			n := rapid.SampledFrom(nodes).Draw(t, "node")
			if c.Nodes[n].Free(core.Map) == 0 {
				ai := c.Nodes[n].Atts[0]
				_, err := c.Heartbeat(now, core.Heartbeat{Node: n, NoWork: true, Statuses: []core.Status{{Attempt: c.Attempts[ai].ID, State: core.StateSucceeded}}})
				require.NoError(t, err)
			}
			got, err := c.Heartbeat(now, core.Heartbeat{Node: n})
			require.NoError(t, err)
			offered, last = len(got.Actions) == 0, now
			if len(got.Actions) > 0 {
				waited = 0
				continue
			}
			require.Less(t, waited, w1+w2)
		}
	})
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

// More levels than node and rack are a matter of configuration: racks in sites give node, rack,
// site and beyond, with a wait each.
func TestThreeLevels(t *testing.T) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	p.Locality.Waits = []time.Duration{2 * time.Second, 2 * time.Second, 2 * time.Second}
	c, err := NewCore(core.Config{RackDepth: 2}, p)
	require.NoError(t, err)
	var nodes []core.NodeID
	for i, rack := range []string{"s1/r1", "s1/r1", "s1/r2", "s2/r3"} {
		id, err := c.Join(0, core.Node{Name: fmt.Sprint(i), Rack: rack, MapSlots: 1})
		require.NoError(t, err)
		nodes = append(nodes, id)
	}
	_, err = c.Join(0, core.Node{Name: "x", Rack: "r1", MapSlots: 1})
	require.ErrorIs(t, err, core.ErrBadNode)
	_, err = c.Submit(0, core.JobSpec{Maps: 9, Places: on(9, nodes[0])})
	require.NoError(t, err)
	var got []core.Locality
	for now := time.Duration(0); now <= 16*time.Second; now += time.Second {
		for i := len(nodes) - 1; i > 0; i-- {
			o, err := c.Heartbeat(now, core.Heartbeat{Node: nodes[i]})
			require.NoError(t, err)
			for _, l := range o.Actions {
				got = append(got, l.Locality)
				c.Placement[core.Map].(*delay.TimedWait).Of.Of(c.Job(1)).Level = core.NodeLocal // each level from the start
			}
		}
	}
	require.Equal(t, []core.Locality{core.RackLocal, core.OffRack, core.Locality(3)}, got)
}

// Without the cap, the rule of the paper lets a job whose local tasks are short wait for ever; with
// it the wait runs on while offers are refused.
func TestCappedWait(t *testing.T) {
	for capped, want := range map[bool]core.Locality{false: core.NodeLocal, true: core.OffRack} {
		c, nodes := newTestCore(t, "hfs", func(_ *core.Config, p *core.Policy) {
			p.Locality = core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{3 * time.Second, 3 * time.Second}, Capped: capped}
			p.Spread = false
		})
		_, err := c.Submit(0, core.JobSpec{Maps: 1000, Places: on(1000, nodes[0])})
		require.NoError(t, err)
		farthest := core.NodeLocal
		running := map[core.NodeID][]core.AttemptID{}
		for s := range 20 {
			for _, n := range nodes {
				var done []core.Status
				for _, id := range running[n] {
					done = append(done, core.Status{Attempt: id, State: core.StateSucceeded})
				}
				got, err := c.Heartbeat(time.Duration(s)*time.Second, core.Heartbeat{Node: n, Statuses: done})
				require.NoError(t, err)
				running[n] = nil
				for _, o := range got.Actions {
					farthest = max(farthest, o.Locality)
					running[n] = append(running[n], o.Attempt)
				}
			}
		}
		require.Equal(t, want, farthest, "capped %v", capped)
	}
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
