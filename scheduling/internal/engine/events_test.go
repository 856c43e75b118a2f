package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// twoRacks returns a Core with Explain and CoGRS; nodes a and b share a rack, and so do c and d.
func twoRacks(t *testing.T) (*core.Core, []core.NodeID, func() []core.Event) {
	c, since := eventsOf(t, "hfs", func(cfg *core.Config, p *core.Policy) {
		cfg.Explain, p.Spread = true, false
		p.Reduce = core.ReducePolicy{Rule: core.CoGRS}
	})
	nodes := make([]core.NodeID, 4)
	for i, rack := range []string{"r", "r", "s", "s"} {
		var err error
		nodes[i], err = c.Join(0, core.Node{Name: string(rune('a' + i)), Rack: rack, MapSlots: 1, ReduceSlots: 1})
		require.NoError(t, err)
	}
	return c, nodes, since
}

// The event of a reduce's launch has the distances of other nodes: the least of all, the mean, and
// those of the candidates. Events also have the input places and output sizes of maps.
func TestCostsOfReducesAreReported(t *testing.T) {
	c, nodes, since := twoRacks(t)
	submit(t, c, core.JobSpec{Maps: 2, Reduces: 1, SlowStart: 1, InputBytes: 77, Places: core.Places{Offsets: []int32{0, 1, 2}, Nodes: nodes[:2]}})
	submitted := since()[4]
	require.Equal(t, &core.InputPlaces{Each: 1, Nodes: nodes[:2]}, submitted.Places)
	require.Equal(t, int64(77), submitted.Bytes)
	first, second := beat(t, c, 0, nodes[0]), beat(t, c, 0, nodes[1])
	beat(t, c, 1, nodes[1], core.Status{Attempt: second[0], State: core.StateSucceeded, OutputBytes: []int64{10}})
	since()
	got := beat(t, c, 2, nodes[0], core.Status{Attempt: first[0], State: core.StateSucceeded, OutputBytes: []int64{90}})
	require.Len(t, got, 1)
	events := since()
	require.Equal(t, []any{int64(90), []int64{90}}, []any{events[0].Bytes, events[0].Output})
	require.Equal(t, &core.Placed{
		Center: "a", AtCenter: 20, Here: 20, Best: 20, Mean: (20 + 180 + 400 + 400) / 4,
		Candidates: []core.Candidate{{Node: "a", Cost: 20}, {Node: "b", Cost: 180}},
	}, events[1].Placed)
}

// If a job refuses a slot because of a reduce's center, the event names the node of the center.
func TestSkippedReducesNameTheirCenter(t *testing.T) {
	c, nodes, since := twoRacks(t)
	submit(t, c, core.JobSpec{Maps: 2, Reduces: 2, SlowStart: 1, Places: core.Places{Offsets: []int32{0, 1, 2}, Nodes: nodes[:2]}})
	first, second := beat(t, c, 0, nodes[0]), beat(t, c, 0, nodes[1])
	beat(t, c, 1, nodes[1], core.Status{Attempt: second[0], State: core.StateSucceeded, OutputBytes: []int64{10, 5}})
	beat(t, c, 2, nodes[0], core.Status{Attempt: first[0], State: core.StateSucceeded, OutputBytes: []int64{90, 50}})
	since()
	require.Empty(t, beat(t, c, 3, nodes[2]))
	events := since()
	require.Len(t, events, 1)
	require.Equal(t, core.CauseGravityWait, events[0].Reason.Cause)
	require.Equal(t, &core.Placed{Center: "a", AtCenter: 5 * 2, Here: 55 * 4}, events[0].Placed)
}

// If all nodes are equally good, a job may still refuse a node that is at the cap of its reduces.
// The event then names no center.
func TestSkippedReducesOfAnEvenJob(t *testing.T) {
	c, since := eventsOf(t, "hfs", func(cfg *core.Config, p *core.Policy) {
		cfg.Explain, p.Spread = true, false
		p.Reduce = core.ReducePolicy{Rule: core.CoGRS}
	})
	const all = 30
	nodes, got, offsets := make([]core.NodeID, all), make([]core.AttemptID, all), make([]int32, all+1)
	for i := range nodes {
		var err error
		nodes[i], err = c.Join(0, core.Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i), MapSlots: 1, ReduceSlots: 2})
		require.NoError(t, err)
		offsets[i+1] = int32(i + 1)
	}
	submit(t, c, core.JobSpec{Maps: all, Reduces: 2, SlowStart: 1, Places: core.Places{Offsets: offsets, Nodes: nodes}})
	for i, n := range nodes {
		got[i] = beat(t, c, 0, n)[0]
	}
	since()
	for i, n := range nodes {
		beat(t, c, 1, n, core.Status{Attempt: got[i], State: core.StateSucceeded, OutputBytes: []int64{10, 10}})
	}
	events := since()
	last := events[len(events)-1]
	require.Equal(t, core.CausePlacementCap, last.Reason.Cause)
	require.Nil(t, last.Placed)
}

// A job that waits while all slots are taken gets one event, at the first Update without a launch
// of it. Progress is reported at each quarter, a cordon when it changes.
func TestWaitsForSlotsProgressAndCordons(t *testing.T) {
	c, since := eventsOf(t, "fair", func(cfg *core.Config, _ *core.Policy) { cfg.Explain = true })
	n := join(t, c, core.Node{Name: "n", MapSlots: 1})
	for range 2 {
		submit(t, c, core.JobSpec{Maps: 1})
	}
	got := beat(t, c, 0, n)
	since()
	skips := func(at time.Duration) (list []core.Event) {
		require.NoError(t, c.Update(at))
		for _, e := range since() {
			if e.Type == core.EventSkipped {
				list = append(list, e)
			}
		}
		return list
	}
	require.Equal(t, []core.Event{{At: 1, Type: core.EventSkipped, JobID: 2, Node: core.NoNode, Reason: core.Reason{Cause: core.CauseNoSlot, Count: 1, Of: 1}}}, skips(1))
	require.Empty(t, skips(2))
	var recorded []float64
	for i, done := range []float64{0.1, 0.3, 0.4, 0.8, 1} {
		beat(t, c, time.Duration(3+i), n, core.Status{Attempt: got[0], Progress: done})
		for _, e := range since() {
			require.Equal(t, core.EventProgress, e.Type)
			recorded = append(recorded, e.Progress)
		}
	}
	require.Equal(t, []float64{0.3, 0.8, 1}, recorded)
	require.NoError(t, c.Cordon(9, n, true))
	require.NoError(t, c.Cordon(9, n, true))
	require.NoError(t, c.Cordon(9, n, false))
	require.Equal(t, []core.Event{
		{At: 9, Type: core.EventCordoned, Node: n, NodeName: "n", State: "cordoned"}, {At: 9, Type: core.EventCordoned, Node: n, NodeName: "n", State: "open"},
	}, since())
}

// Each event of a node or a job has exactly the fields that the schema defines.
func TestEventsOfJobsAndNodes(t *testing.T) {
	c, since := eventsOf(t, "hfs", nil)
	s := time.Second
	n, err := c.Join(s, core.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1})
	require.NoError(t, err)
	require.Equal(t, []core.Event{{At: s, Type: core.EventJoined, Node: n, NodeName: "a", Rack: "r", Slots: [2]int{2, 1}}}, since())
	id := submitAt(t, c, 2*s, core.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1, SlowStart: -1})
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

// Each suspension and each resumption of an attempt is an event.
func TestEventsOfSuspension(t *testing.T) {
	c, since := eventsOf(t, "hfsp", func(_ *core.Config, p *core.Policy) { p.HFSP = core.HFSPPolicy{NoTraining: true} })
	n := join(t, c, core.Node{Name: "n", ReduceSlots: 2})
	submit(t, c, core.JobSpec{Reduces: 2, ReduceTime: time.Hour})
	large := beat(t, c, 0, n)
	require.Len(t, large, 2)
	submitAt(t, c, time.Second, core.JobSpec{Reduces: 1, ReduceTime: time.Minute})
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

// An event reports when all jobs begin or stop avoiding a node, with its faults and the limit.
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

// Each launch and each end of an attempt is an event, with its node and, for a failure, the error.
func TestAttemptsAreReported(t *testing.T) {
	var events []core.Event
	c, n := newTestCore(t, "fifo", func(cfg *core.Config, _ *core.Policy) { cfg.Events = func(e core.Event) { events = append(events, e) } })
	id := submit(t, c, core.JobSpec{Maps: 3, Reduces: 1, SlowStart: 1})
	got := append(append(beat(t, c, 0, n[1]), beat(t, c, 0, n[2])...), beat(t, c, 0, n[3])...)
	require.Len(t, got, 3)
	events = nil
	again := beat(t, c, time.Second, n[1], core.Status{Attempt: got[0], State: core.StateFailed, Err: "boom"})
	require.Len(t, again, 1)
	beat(t, c, time.Second, n[2], core.Status{Attempt: got[1], State: core.StateSucceeded})
	require.NoError(t, c.Kill(2*time.Second, id))
	ends := map[core.EventType][]core.Event{}
	for _, e := range events {
		if e.Attempt != (core.AttemptID{}) && e.Type != core.EventLaunched {
			require.Equal(t, id, e.JobID)
			ends[e.Type] = append(ends[e.Type], e)
		}
	}
	require.Len(t, ends, 3)
	require.Len(t, ends[core.EventFailed], 1)
	require.Equal(t, []any{got[0], n[1], "n2", "boom"}, []any{
		ends[core.EventFailed][0].Attempt, ends[core.EventFailed][0].Node, ends[core.EventFailed][0].NodeName, ends[core.EventFailed][0].Err,
	})
	require.Len(t, ends[core.EventSucceeded], 1)
	require.Equal(t, []any{got[1], n[2]}, []any{ends[core.EventSucceeded][0].Attempt, ends[core.EventSucceeded][0].Node})
	var killed []core.AttemptID
	for _, e := range ends[core.EventKilled] {
		killed = append(killed, e.Attempt)
	}
	require.ElementsMatch(t, []core.AttemptID{got[2], again[0]}, killed)
}
