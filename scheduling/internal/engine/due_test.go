package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Whoever asks the nodes that are due leaves nothing to launch: no other node gets a task.
func TestDueMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		p.Order = rapid.SampledFrom([]string{"fair", "srpt"}).Draw(t, "order")
		p.Locality, p.Reduce = core.LocalityPolicy{}, core.ReducePolicy{} // nobody waits for time to pass
		p.Spread, p.OneTask, p.HFSP.Reclaim = false, false, core.WaitForSlot
		p.Speculation.SlowNode = 1000 // nor for a node to be as fast as others again
		y := newPlay(t, p)
		y.fixed = true
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			y.step(3, 2)
			for _, n := range y.nodes {
				if y.c.Nodes[n].Heard == 0 { // has just joined
					y.beat(n, 0, 0)
				}
			}
			for range 100 {
				called, idle := y.c.Due()
				if len(called)+len(idle) == 0 {
					break
				}
				for _, n := range append(slices.Clone(called), idle...) {
					y.beat(n, 0, 0)
				}
			}
			for _, n := range y.nodes {
				got, err := y.c.Heartbeat(y.now, core.Heartbeat{
					Node: n, Incarnation: y.incarnation(n), Statuses: y.alive(n),
				})
				require.NoError(t, err)
				require.Empty(t, got.Actions, "%s was not due", y.c.View().NodeName(n))
			}
		}
	})
}

// alive reports all attempts of a node as they are.
func (y *play) alive(n core.NodeID) (list []core.Status) {
	for _, id := range sortedAttempts(y.running[n]) {
		state := core.StateRunning
		if y.running[n][id] {
			state = core.StateSuspended
		}
		list = append(list, core.Status{Attempt: id, State: state})
	}
	return list
}

// Each cause names the nodes that it concerns, once.
func TestDueNamesNodesOnce(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	due := func(called, idle []core.NodeID) {
		t.Helper()
		gotCalled, gotIdle := c.Due()
		require.ElementsMatch(t, called, gotCalled)
		require.ElementsMatch(t, idle, gotIdle)
		gotCalled, gotIdle = c.Due()
		require.Empty(t, gotCalled)
		require.Empty(t, gotIdle)
	}
	due(nil, nil)
	_, err := c.Submit(time.Second, core.JobSpec{Maps: 3, Reduces: 1, SlowStart: 1})
	require.NoError(t, err)
	due(nil, n)
	got := beat(t, c, time.Second, n[0])
	require.Len(t, got, 2)
	require.Len(t, beat(t, c, time.Second, n[1]), 1)
	due(nil, nil)
	beat(t, c, time.Second, n[0], core.Status{Attempt: got[0], State: core.StateFailed})
	due(nil, n[1:]) // n[0] has it again
	require.NoError(t, c.Cordon(time.Second, n[3], true))
	require.NoError(t, c.Leave(2*time.Second, n[1]))
	due(nil, []core.NodeID{n[0], n[2]}) // a map to run again; n[3] is closed
	require.NoError(t, c.Cordon(2*time.Second, n[3], false))
	due(n[3:], nil)
	require.Len(t, beat(t, c, 2*time.Second, n[2]), 1)
	require.NoError(t, c.Kill(3*time.Second, 1))
	due([]core.NodeID{n[0], n[2]}, nil) // with their kills; no job is left to launch
}

// A heartbeat is of use where tasks wait and a slot of their kind is free, or taken back.
func TestUsefulHeartbeats(t *testing.T) {
	c, n := newTestCore(t, "fair", nil)
	require.False(t, c.View().Useful(core.NoNode))
	_, err := c.Submit(0, core.JobSpec{Maps: 9})
	require.NoError(t, err)
	for i, id := range n {
		require.True(t, c.View().Useful(id))
		beat(t, c, 0, id)
		require.False(t, c.View().Useful(id))
		require.Equal(t, i < 3, c.View().Useful(core.NoNode))
	}
	for preset, useful := range map[string]bool{"hfsp": true, "hfs": false} {
		p, err := Preset(preset)
		require.NoError(t, err)
		require.NoError(t, c.Reconfigure(0, p))
		require.Equal(t, useful, c.View().Useful(core.NoNode), "one map waits; hfsp may take a slot back for it")
	}
}

// Policies that do not ask for progress decide alike without it.
func TestNeedsProgress(t *testing.T) {
	launches := func(name string, progress [core.Kinds]float64) (order []core.AttemptID) {
		c, nodes := newTestCore(t, name, nil)
		for i := range 6 {
			_, err := c.Submit(0, core.JobSpec{
				Maps: 2, Reduces: 3 + i, User: "u", MapTime: time.Minute, ReduceTime: time.Minute,
			})
			require.NoError(t, err)
		}
		running := map[core.NodeID][]core.AttemptID{}
		for step := range 400 {
			n := nodes[step%len(nodes)]
			var list []core.Status
			for i, id := range running[n] {
				part := progress[id.Task.Kind] / float64(id.Task.Job)
				st := core.Status{Attempt: id, Progress: part, ReduceProgress: part}
				if step%[...]int{7, 31}[id.Task.Kind] == i {
					st.State = core.StateSucceeded
				}
				list = append(list, st)
			}
			got, err := c.Heartbeat(time.Duration(step)*20*time.Second, core.Heartbeat{Node: n, Statuses: list})
			require.NoError(t, err)
			running[n] = running[n][:0]
			for _, st := range list {
				if st.State == core.StateRunning {
					running[n] = append(running[n], st.Attempt)
				}
			}
			for _, o := range got.Actions {
				if o.Verb == core.Launch {
					running[n] = append(running[n], o.Attempt)
					order = append(order, o.Attempt)
				}
			}
		}
		return order
	}
	needs := 0
	for _, name := range Presets() {
		p, err := Preset(name)
		require.NoError(t, err)
		with := launches(name, [core.Kinds]float64{0.9, 0.9})
		require.Greater(t, len(with), 25)
		for k := range core.TaskKind(core.Kinds) {
			told := [core.Kinds]float64{0.9, 0.9}
			told[k] = 0
			if without := launches(name, told); p.NeedsProgress(k) {
				require.NotEqual(t, with, without, "%s, %v", name, k)
				needs++
			} else {
				require.Equal(t, with, without, "%s, %v", name, k)
			}
		}
	}
	require.Positive(t, needs)
}

// A node that a job avoids is due when so few nodes are left, or so many avoided, that the job
// avoids none any more.
func TestDueWhenNoNodeIsAvoidedAnyMore(t *testing.T) {
	for name, happens := range map[string]func(*core.Core){
		"nodes leave": func(c *core.Core) {
			for n := core.NodeID(4); n < 10; n++ {
				c.Due()
				require.NoError(t, c.Leave(c.Now, n))
			}
		},
		"copies fail": func(c *core.Core) {
			for _, n := range []core.NodeID{4, 4, 4, 4, 5, 5, 5, 5} {
				c.Due()
				c.Troubled(c.Active[0], c.Nodes[n])
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := tenNodes(t, core.Config{MaxAttempts: 9}, core.Avoidance{})
			for n := core.NodeID(4); n < 10; n++ {
				require.NoError(t, c.Cordon(0, n, true))
			}
			_, err := c.Submit(0, core.JobSpec{Maps: 50})
			require.NoError(t, err)
			failOn(t, c, 3, 4)
			for n := range core.NodeID(4) {
				beat(t, c, 0, n)
			}
			c.Due()
			happens(c)
			_, open := c.Due()
			require.Contains(t, open, core.NodeID(3))
			require.NotEmpty(t, beat(t, c, 0, 3))
		})
	}
}
