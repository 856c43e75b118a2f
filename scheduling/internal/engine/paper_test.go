package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// on gives every map the same places.
func on(maps int, nodes ...NodeID) Places {
	p := Places{Offsets: []int32{0}}
	for range maps {
		p.Nodes = append(p.Nodes, nodes...)
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}

// [Zaharia10 §3.6]: first D1 offers for the node, then D2 for the rack, then anywhere.
func TestTwoLevelSkipCount(t *testing.T) {
	c, nodes := newTestCore(t, "delay", func(_ *Config, p *Policy) { p.Locality.Skips = []int{1, 2} })
	_, err := c.Submit(0, JobSpec{Maps: 6, Places: on(6, nodes[0])})
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
			c, err := NewCore(Config{}, p)
			require.NoError(t, err)
			var nodes []NodeID
			join := func(n int) {
				for range n {
					id, err := c.Join(1, Node{Name: fmt.Sprint(len(nodes)), MapSlots: 1})
					require.NoError(t, err)
					nodes = append(nodes, id)
				}
			}
			join(20)
			_, err = c.Submit(1, JobSpec{Maps: maps, Places: on(maps, nodes[:replicas]...)})
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
		c, err := NewCore(Config{}, p)
		require.NoError(t, err)
		var nodes []NodeID
		for i := range 6 {
			id, err := c.Join(0, Node{Name: fmt.Sprint(i), Rack: fmt.Sprint(i % 3), MapSlots: 1})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
		_, err = c.Submit(0, JobSpec{Maps: 50, Places: on(50, nodes[0])})
		require.NoError(t, err)
		var now, waited, last time.Duration
		offered := false
		for range 40 {
			now += time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond
			if offered {
				waited += now - last
			}
			n := rapid.SampledFrom(nodes).Draw(t, "node")
			if c.nodes[n].free(Map) == 0 {
				ai := c.nodes[n].atts[0]
				_, err := c.Heartbeat(now, Heartbeat{Node: n, NoWork: true, Statuses: []Status{{Attempt: c.atts[ai].id, State: StateSucceeded}}})
				require.NoError(t, err)
			}
			got, err := c.Heartbeat(now, Heartbeat{Node: n})
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
	c, nodes := newTestCore(t, "hfs", func(_ *Config, p *Policy) { p.ReserveLong, p.LongTask = 1, time.Minute })
	_, err := c.Submit(0, JobSpec{Name: "long", Maps: 20, MapTime: time.Hour})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 1, nodes[0]), 1)
	require.Empty(t, beat(t, c, 1, nodes[0]))
	_, err = c.Submit(1, JobSpec{Name: "short", Maps: 1, MapTime: time.Second})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 1, nodes[0]), 1)
}

// More levels than node and rack are a matter of configuration: racks in sites give node, rack,
// site and beyond, with a wait each.
func TestThreeLevels(t *testing.T) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	p.Locality.Waits = []time.Duration{2 * time.Second, 2 * time.Second, 2 * time.Second}
	c, err := NewCore(Config{RackDepth: 2}, p)
	require.NoError(t, err)
	var nodes []NodeID
	for i, rack := range []string{"s1/r1", "s1/r1", "s1/r2", "s2/r3"} {
		id, err := c.Join(0, Node{Name: fmt.Sprint(i), Rack: rack, MapSlots: 1})
		require.NoError(t, err)
		nodes = append(nodes, id)
	}
	_, err = c.Join(0, Node{Name: "x", Rack: "r1", MapSlots: 1})
	require.ErrorIs(t, err, ErrBadNode)
	_, err = c.Submit(0, JobSpec{Maps: 9, Places: on(9, nodes[0])})
	require.NoError(t, err)
	var got []Locality
	for now := time.Duration(0); now <= 16*time.Second; now += time.Second {
		for i := len(nodes) - 1; i > 0; i-- {
			o, err := c.Heartbeat(now, Heartbeat{Node: nodes[i]})
			require.NoError(t, err)
			for _, l := range o.Actions {
				got = append(got, l.Locality)
				c.placement[Map].(*timedWait).of.of(c.job(1)).level = NodeLocal // each level from the start
			}
		}
	}
	require.Equal(t, []Locality{RackLocal, OffRack, Locality(3)}, got)
}

// Without the cap, the rule of the paper lets a job whose local tasks are short wait for ever; with
// it the wait runs on while offers are refused.
func TestCappedWait(t *testing.T) {
	for capped, want := range map[bool]Locality{false: NodeLocal, true: OffRack} {
		c, nodes := newTestCore(t, "hfs", func(_ *Config, p *Policy) {
			p.Locality = LocalityPolicy{Rule: TimedWait, Waits: []time.Duration{3 * time.Second, 3 * time.Second}, Capped: capped}
			p.Spread = false
		})
		_, err := c.Submit(0, JobSpec{Maps: 1000, Places: on(1000, nodes[0])})
		require.NoError(t, err)
		farthest := NodeLocal
		running := map[NodeID][]AttemptID{}
		for s := range 20 {
			for _, n := range nodes {
				var done []Status
				for _, id := range running[n] {
					done = append(done, Status{Attempt: id, State: StateSucceeded})
				}
				got, err := c.Heartbeat(time.Duration(s)*time.Second, Heartbeat{Node: n, Statuses: done})
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
		p.Preemption = PreemptionPolicy{Mode: PreemptOn, Interval: -1}
		for i := range 4 {
			p.Pools.Pools = append(p.Pools.Pools, PoolConfig{
				Name: fmt.Sprint("p", i), Weight: rapid.SampledFrom([]float64{1, 2, 3}).Draw(t, "weight"),
				Min: [2]int{rapid.IntRange(0, 3).Draw(t, "min"), 0}, MinTimeout: time.Second,
			})
		}
		c, err := NewCore(Config{}, p)
		require.NoError(t, err)
		var nodes []NodeID
		for i := range 5 {
			id, err := c.Join(0, Node{Name: fmt.Sprint(i), MapSlots: 2})
			require.NoError(t, err)
			nodes = append(nodes, id)
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "first") {
			_, err := c.Submit(0, JobSpec{Pool: fmt.Sprint("p", i), Maps: rapid.IntRange(1, 12).Draw(t, "maps")})
			require.NoError(t, err)
		}
		for _, n := range nodes {
			beat(t, c, 0, n)
		}
		_, err = c.Submit(time.Second, JobSpec{Pool: "p3", Maps: rapid.IntRange(1, 12).Draw(t, "late")})
		require.NoError(t, err)
		require.NoError(t, c.Update(time.Second))
		require.NoError(t, c.Update(20*time.Second))
		before := c.View().Pools()
		_, err = c.Preempt(20 * time.Second)
		require.NoError(t, err)
		for i, after := range c.View().Pools() {
			if after.Kinds[Map].Running < before[i].Kinds[Map].Running {
				require.GreaterOrEqual(t, float64(after.Kinds[Map].Running), float64(int(before[i].Kinds[Map].Share)), after.Name)
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
		c, err := NewCore(Config{}, p)
		require.NoError(t, err)
		for i := range 3 {
			_, err := c.Join(0, Node{Name: fmt.Sprint(i), MapSlots: 2})
			require.NoError(t, err)
		}
		for now := range time.Duration(40) {
			if rapid.Bool().Draw(t, "submit") {
				_, err := c.Submit(now, JobSpec{Maps: rapid.IntRange(1, 4).Draw(t, "maps"), Priority: Priority(rapid.IntRange(-2, 2).Draw(t, "priority"))})
				require.NoError(t, err)
			}
			n := NodeID(rapid.IntRange(0, 2).Draw(t, "node"))
			var done []Status
			for _, ai := range c.nodes[n].atts {
				done = append(done, Status{Attempt: c.atts[ai].id, State: StateSucceeded})
			}
			for _, id := range beat(t, c, now, n, done...) {
				j := c.job(id.Task.Job)
				for _, k := range allJobs(c) {
					if k.launchable(Map) {
						require.False(t, k.spec.Priority < j.spec.Priority || k.spec.Priority == j.spec.Priority && k.id < j.id)
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
		p.Locality, p.Spread, p.SlowStart = LocalityPolicy{}, false, 0
		y := newPlay(t, p)
		y.fixed = true
		for range 40 {
			y.step(4, 1)
			n := rapid.SampledFrom(y.nodes).Draw(t, "node")
			y.beat(n, 3, 1)
			for k := range TaskKind(kinds) {
				at := y.c.nodes[n]
				if !at.open() {
					continue
				}
				for _, j := range y.c.active {
					fits := at.free(k) >= int(j.slots) && !y.c.avoids(j, at)
					require.False(t, !j.state.Ended() && fits && j.w[k].waiting() > 0 && j.launchable(k), "%v idles on %v beside %v", k, n, j.id)
				}
			}
		}
	})
}
