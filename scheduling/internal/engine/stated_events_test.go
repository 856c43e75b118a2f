package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// told is a Core with an ear: each call gives the events since the last one.
func told(t *testing.T, preset string, change func(*core.Config, *core.Policy)) (c *core.Core, since func() []core.Event) {
	p, err := Preset(preset)
	require.NoError(t, err)
	var cfg core.Config
	if change != nil {
		change(&cfg, &p)
	}
	var events []core.Event
	cfg.Events = func(e core.Event) { events = append(events, e) }
	c, err = NewCore(cfg, p)
	require.NoError(t, err)
	return c, func() []core.Event {
		got := events
		events = nil
		return got
	}
}

// What happens to nodes and jobs is told with what the schema says of it.
func TestEventsOfJobsAndNodes(t *testing.T) {
	c, since := told(t, "hfs", nil)
	s := time.Second
	n, err := c.Join(s, core.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1})
	require.NoError(t, err)
	require.Equal(t, []core.Event{{At: s, Type: core.EventJoined, Node: n, NodeName: "a", Rack: "r", Slots: [2]int{2, 1}}}, since())
	id, err := c.Submit(2*s, core.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1, SlowStart: -1})
	require.NoError(t, err)
	require.Equal(t, []core.Event{{At: 2 * s, Type: core.EventSubmitted, Node: core.NoNode, JobID: id, Name: "j", User: "u", Pool: "u", Tasks: [2]int{2, 1}, Priority: "NORMAL", Gate: -1}}, since())
	require.NoError(t, c.SetPriority(3*s, id, core.High))
	require.Equal(t, []core.Event{{At: 3 * s, Type: core.EventPriority, Node: core.NoNode, JobID: id, Name: "HIGH"}}, since())
	require.NoError(t, c.SetPool(4*s, id, " p "))
	require.Equal(t, []core.Event{{At: 4 * s, Type: core.EventPool, Node: core.NoNode, JobID: id, Pool: "p"}}, since())
	p := c.View().Policy()
	p.Name = "mine"
	require.NoError(t, c.Reconfigure(5*s, p))
	require.Equal(t, []core.Event{{At: 5 * s, Type: core.EventReconfigured, Node: core.NoNode, Name: "mine", Policy: &p}}, since())
	got := beat(t, c, 6*s, n)
	require.Len(t, got, 3)
	since()
	beat(t, c, 7*s, n, core.Status{Attempt: got[0], State: core.StateSucceeded})
	since()
	lost := []core.LostOutput{{Map: got[0].Task.Index}}
	beat(t, c, 8*s, n, core.Status{Attempt: got[2], Lost: lost})
	require.Empty(t, since(), "a map has no word in it")
	beat(t, c, 8*s, n, core.Status{Attempt: got[1], Lost: lost})
	require.Equal(t, core.Event{
		At: 8 * s, Type: core.EventOutputLost, JobID: id, Attempt: got[0], Node: n, NodeName: "a", Reason: core.Reason{Cause: core.CauseOutputLost},
	}, since()[0], "how near it was is not known any more")
	require.NoError(t, c.Leave(9*s, n))
	gone := since()
	require.Equal(t, core.Event{At: 9 * s, Type: core.EventLost, Node: n, NodeName: "a"}, gone[0])
	for _, e := range gone[1:] {
		require.Equal(t, core.EventKilled, e.Type)
		require.Equal(t, core.Reason{Cause: core.CauseNodeLost}, e.Reason)
	}
	require.Len(t, gone, 4)
	require.NoError(t, c.Kill(10*s, id))
	require.Equal(t, []core.Event{{At: 10 * s, Type: core.EventFinished, Node: core.NoNode, JobID: id, State: "killed", Err: "killed"}}, since())
}

// The locality of an attempt is told in words, of maps alone.
func TestLocalityInWords(t *testing.T) {
	c, since := told(t, "fifo", func(_ *core.Config, p *core.Policy) { p.Spread = false })
	a, err := c.Join(0, core.Node{Name: "a", Rack: "r", MapSlots: 1, ReduceSlots: 1})
	require.NoError(t, err)
	b, err := c.Join(0, core.Node{Name: "b", Rack: "r", MapSlots: 1})
	require.NoError(t, err)
	far, err := c.Join(0, core.Node{Name: "c", Rack: "s", MapSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Maps: 3, Reduces: 1, SlowStart: -1, Places: on(3, a)})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Maps: 1})
	require.NoError(t, err)
	d, err := c.Join(0, core.Node{Name: "d", Rack: "s", MapSlots: 1})
	require.NoError(t, err)
	since()
	for _, n := range []core.NodeID{a, b, far, d} {
		beat(t, c, 0, n)
	}
	var near []string
	for _, e := range since() {
		require.Equal(t, core.EventLaunched, e.Type)
		near = append(near, e.Near)
	}
	require.Equal(t, []string{"node-local", "", "rack-local", "off-rack", "any-place"}, near)
}

// Suspending and resuming is told, and done to the attempt told.
func TestEventsOfSuspension(t *testing.T) {
	c, since := told(t, "hfsp", func(_ *core.Config, p *core.Policy) { p.HFSP = core.HFSPPolicy{NoTraining: true} })
	n, err := c.Join(0, core.Node{Name: "n", ReduceSlots: 2})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Reduces: 2, ReduceTime: time.Hour})
	require.NoError(t, err)
	large := beat(t, c, 0, n)
	require.Len(t, large, 2)
	_, err = c.Submit(time.Second, core.JobSpec{Reduces: 1, ReduceTime: time.Minute})
	require.NoError(t, err)
	since()
	got, err := c.Heartbeat(time.Second, core.Heartbeat{Node: n})
	require.NoError(t, err)
	require.Equal(t, []core.Action{
		{Verb: core.Suspend, Attempt: large[0], Locality: core.AnyPlace, Reason: core.Reason{Cause: core.CauseSmallerJob}},
		{Verb: core.Launch, Attempt: core.AttemptID{Task: core.TaskID{Job: 2, Kind: core.Reduce, Index: 0}, Try: 0}, Locality: core.AnyPlace, Reason: core.Reason{Cause: core.CauseAnyReduce}},
	}, got.Actions)
	require.Equal(t, core.Event{
		At: time.Second, Type: core.EventSuspended, JobID: 1, Attempt: large[0], Kind: core.Reduce, Node: n, NodeName: "n", Locality: core.AnyPlace, Reason: core.Reason{Cause: core.CauseSmallerJob},
	}, since()[0])
	v, ok := c.View().Attempt(large[0])
	require.True(t, ok)
	require.Equal(t, []any{true, time.Second}, []any{v.Suspended, v.Worked})
	got, err = c.Heartbeat(3*time.Second, core.Heartbeat{Node: n, Statuses: []core.Status{{Attempt: got.Actions[1].Attempt, State: core.StateSucceeded}}})
	require.NoError(t, err)
	require.Equal(t, []core.Action{{Verb: core.Resume, Attempt: large[0], Locality: core.AnyPlace, Reason: core.Reason{Cause: core.CauseResumed}}}, got.Actions)
	events := since()
	require.Equal(t, core.Event{At: 3 * time.Second, Type: core.EventResumed, JobID: 1, Attempt: large[0], Kind: core.Reduce, Node: n, NodeName: "n", Locality: core.AnyPlace, Slot: 1, Held: 2 * time.Second}, events[len(events)-1])
	require.NoError(t, c.Update(10*time.Second))
	v, ok = c.View().Attempt(large[0])
	require.True(t, ok)
	require.Equal(t, []any{false, 8 * time.Second}, []any{v.Suspended, v.Worked}, "what it stood still for does not count")
}

// Changed shares, minimum shares that are too much and what pools may claim are told once.
func TestEventsOfPools(t *testing.T) {
	c, since := told(t, "hfs", func(_ *core.Config, p *core.Policy) {
		p.Spread = false
		p.Pools.Pools = []core.PoolConfig{{Name: "a", Min: [2]int{3, 0}, MinTimeout: 10 * time.Second}, {Name: "b", Min: [2]int{2, 0}}}
		p.Preemption.Mode = core.PreemptLog
	})
	n, err := c.Join(0, core.Node{Name: "n", MapSlots: 4, ReduceSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Pool: "b", Maps: 9})
	require.NoError(t, err)
	require.Len(t, beat(t, c, 0, n), 4)
	since()
	require.NoError(t, c.Update(time.Second))
	require.Equal(t, []core.Event{
		{At: time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "a", Min: [2]int{3, 0}},
		{At: time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "b", Shares: [2]float64{4, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	_, err = c.Submit(2*time.Second, core.JobSpec{Pool: "a", Maps: 9})
	require.NoError(t, err)
	since()
	require.NoError(t, c.Update(2*time.Second))
	require.Equal(t, []core.Event{
		{At: 2 * time.Second, Type: core.EventWarning, Node: core.NoNode, Kind: core.Map, Err: "minimum shares exceed the cluster's 4 map slots and are scaled down"},
		{At: 2 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "a", Shares: [2]float64{2.4, 0}, Demand: [2]int{9, 0}, Min: [2]int{3, 0}},
		{At: 2 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "b", Shares: [2]float64{1.6, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	require.NoError(t, c.Update(3*time.Second))
	require.Empty(t, since())
	require.NoError(t, c.Update(11*time.Second))
	require.Empty(t, since())
	require.NoError(t, c.Update(11*time.Second+1))
	require.Equal(t, []core.Event{{At: 11*time.Second + 1, Type: core.EventNeed, Node: core.NoNode, Pool: "a", Kind: core.Map, Need: 3}}, since())
	require.NoError(t, c.Update(13*time.Second))
	require.Empty(t, since(), "it is known")
	require.NoError(t, c.Kill(14*time.Second, 2))
	since()
	require.NoError(t, c.Update(14*time.Second))
	require.Equal(t, []core.Event{
		{At: 14 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "a", Min: [2]int{3, 0}},
		{At: 14 * time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "b", Shares: [2]float64{4, 0}, Demand: [2]int{9, 0}, Running: [2]int{4, 0}, Min: [2]int{2, 0}},
	}, since())
	_, err = c.Submit(15*time.Second, core.JobSpec{Pool: "a", Maps: 9})
	require.NoError(t, err)
	since()
	require.NoError(t, c.Update(15*time.Second))
	require.Equal(t, core.EventWarning, since()[0].Type, "it is too much again")
}

// That all avoid a node, and no longer do, is told with its faults and the limit.
func TestEventsOfAvoidance(t *testing.T) {
	var events []core.Event
	c := tenNodes(t, core.Config{Expiry: 1000 * time.Hour, Events: func(e core.Event) {
		if e.JobID == 0 && (e.Type == core.EventAvoided || e.Type == core.EventAdmitted) {
			events = append(events, e)
		}
	}}, core.Avoidance{Jobs: 2})
	faultyJob(t, c, 3)
	require.Empty(t, events)
	faultyJob(t, c, 3)
	require.Equal(t, []core.Event{{Type: core.EventAvoided, Node: 3, NodeName: "n3", Reason: core.Reason{Cause: core.CauseAvoided, Count: 2, Of: 2}}}, events)
	require.NoError(t, c.Update(24*time.Hour))
	require.Len(t, events, 2)
	require.Equal(t, core.Event{At: 24 * time.Hour, Type: core.EventAdmitted, Node: 3, NodeName: "n3", Reason: core.Reason{Cause: core.CauseAvoided, Count: 1, Of: 2}}, events[1])
	require.Equal(t, 1, c.Faulty)
	require.NoError(t, c.Update(48*time.Hour))
	require.Equal(t, 0, c.Nodes[3].Faults)
	require.Equal(t, 0, c.Faulty, "none has faults")
}
