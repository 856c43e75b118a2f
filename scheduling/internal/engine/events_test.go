package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// twoRacks returns a Core with Explain and CoGRS; nodes a and b share a rack, and so do c and d.
func twoRacks(t *testing.T) (*core.Core, []model.NodeID, func() []event.Event) {
	c, since := eventsOf(t, "hfs", func(cfg *core.Config, p *model.Policy) {
		cfg.Explain, p.Spread = true, false
		p.Reduce = model.ReducePolicy{Rule: model.CoGRS}
	})
	nodes := make([]model.NodeID, 4)
	for i, rack := range []string{"r", "r", "s", "s"} {
		nodes[i] = join(t, c, model.Node{Name: string(rune('a' + i)), Rack: rack, MapSlots: 1, ReduceSlots: 1})
	}
	return c, nodes, since
}

// The event of a reduce's launch has the distances of other nodes: the least of all, the mean, and
// those of the candidates. Events also have the input places and output sizes of maps.
func TestCostsOfReducesAreReported(t *testing.T) {
	c, nodes, since := twoRacks(t)
	submit(t, c, model.JobSpec{Maps: 2, Reduces: 1, SlowStart: 1, InputBytes: 77, Places: model.Places{Offsets: []int32{0, 1, 2}, Nodes: nodes[:2]}})
	submitted := since()[4]
	require.Equal(t, &event.InputPlaces{Each: 1, Nodes: nodes[:2]}, submitted.Places)
	require.Equal(t, int64(77), submitted.Bytes)
	first, second := beat(t, c, 0, nodes[0]), beat(t, c, 0, nodes[1])
	beat(t, c, 1, nodes[1], model.Status{Attempt: second[0], State: model.StateSucceeded, OutputBytes: []int64{10}})
	since()
	got := beat(t, c, 2, nodes[0], model.Status{Attempt: first[0], State: model.StateSucceeded, OutputBytes: []int64{90}})
	require.Len(t, got, 1)
	events := since()
	require.Equal(t, []any{int64(90), []int64{90}}, []any{events[0].Bytes, events[0].Output})
	require.Equal(t, &event.Placed{
		Center: "a", AtCenter: 20, Here: 20, Best: 20, Mean: (20 + 180 + 400 + 400) / 4,
		Candidates: []event.Candidate{{Node: "a", Cost: 20}, {Node: "b", Cost: 180}},
	}, events[1].Placed)
}

// If a job refuses a slot because of a reduce's center, the event names the node of the center.
func TestSkippedReducesNameTheirCenter(t *testing.T) {
	c, nodes, since := twoRacks(t)
	submit(t, c, model.JobSpec{Maps: 2, Reduces: 2, SlowStart: 1, Places: model.Places{Offsets: []int32{0, 1, 2}, Nodes: nodes[:2]}})
	first, second := beat(t, c, 0, nodes[0]), beat(t, c, 0, nodes[1])
	beat(t, c, 1, nodes[1], model.Status{Attempt: second[0], State: model.StateSucceeded, OutputBytes: []int64{10, 5}})
	beat(t, c, 2, nodes[0], model.Status{Attempt: first[0], State: model.StateSucceeded, OutputBytes: []int64{90, 50}})
	since()
	require.Empty(t, beat(t, c, 3, nodes[2]))
	events := since()
	require.Len(t, events, 1)
	require.Equal(t, model.CauseGravityWait, events[0].Reason.Cause)
	require.Equal(t, &event.Placed{Center: "a", AtCenter: 5 * 2, Here: 55 * 4}, events[0].Placed)
}

// If all nodes are equally good, a job may still refuse a node that is at the cap of its reduces.
// The event then names no center.
func TestSkippedReducesOfAnEvenJob(t *testing.T) {
	c, since := eventsOf(t, "hfs", func(cfg *core.Config, p *model.Policy) {
		cfg.Explain, p.Spread = true, false
		p.Reduce = model.ReducePolicy{Rule: model.CoGRS}
	})
	const all = 30
	nodes, got, offsets := make([]model.NodeID, all), make([]model.AttemptID, all), make([]int32, all+1)
	for i := range nodes {
		nodes[i] = join(t, c, model.Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i), MapSlots: 1, ReduceSlots: 2})
		offsets[i+1] = int32(i + 1)
	}
	submit(t, c, model.JobSpec{Maps: all, Reduces: 2, SlowStart: 1, Places: model.Places{Offsets: offsets, Nodes: nodes}})
	for i, n := range nodes {
		got[i] = beat(t, c, 0, n)[0]
	}
	since()
	for i, n := range nodes {
		beat(t, c, 1, n, model.Status{Attempt: got[i], State: model.StateSucceeded, OutputBytes: []int64{10, 10}})
	}
	events := since()
	last := events[len(events)-1]
	require.Equal(t, model.CausePlacementCap, last.Reason.Cause)
	require.Nil(t, last.Placed)
}

// A job that waits while all slots are taken gets one event, at the first Update without a launch
// of it. Progress is reported at each quarter, a cordon when it changes.
func TestWaitsForSlotsProgressAndCordons(t *testing.T) {
	c, since := eventsOf(t, "fair", func(cfg *core.Config, _ *model.Policy) { cfg.Explain = true })
	n := join(t, c, model.Node{Name: "n", MapSlots: 1})
	for range 2 {
		submit(t, c, model.JobSpec{Maps: 1})
	}
	got := beat(t, c, 0, n)
	since()
	skips := func(at time.Duration) (list []event.Event) {
		require.NoError(t, c.Update(at))
		for _, e := range since() {
			if e.Type == event.Skipped {
				list = append(list, e)
			}
		}
		return list
	}
	require.Equal(t, []event.Event{{At: 1, Type: event.Skipped, JobID: 2, Node: model.NoNode, Reason: model.Reason{Cause: model.CauseNoSlot, Count: 1, Of: 1}}}, skips(1))
	require.Empty(t, skips(2))
	var recorded []float64
	for i, done := range []float64{0.1, 0.3, 0.4, 0.8, 1} {
		beat(t, c, time.Duration(3+i), n, model.Status{Attempt: got[0], Progress: done})
		for _, e := range since() {
			require.Equal(t, event.Progress, e.Type)
			recorded = append(recorded, e.Progress)
		}
	}
	require.Equal(t, []float64{0.3, 0.8, 1}, recorded)
	require.NoError(t, c.Cordon(9, n, true))
	require.NoError(t, c.Cordon(9, n, true))
	require.NoError(t, c.Cordon(9, n, false))
	require.Equal(t, []event.Event{
		{At: 9, Type: event.Cordoned, Node: n, NodeName: "n", State: "cordoned"}, {At: 9, Type: event.Cordoned, Node: n, NodeName: "n", State: "open"},
	}, since())
}

// Each event of a node, a job or an attempt's end has exactly the fields that the schema defines.
func TestEventsOfJobsAndNodes(t *testing.T) {
	c, since := eventsOf(t, "hfs", nil)
	s := time.Second
	n, err := c.Join(s, model.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1})
	require.NoError(t, err)
	require.Equal(t, []event.Event{{At: s, Type: event.Joined, Node: n, NodeName: "a", Rack: "r", Slots: [2]int{2, 1}}}, since())
	id := submitAt(t, c, 2*s, model.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1, SlowStart: -1})
	require.Equal(t, []event.Event{{At: 2 * s, Type: event.Submitted, Node: model.NoNode, JobID: id, Name: "j", User: "u", Pool: "u", Tasks: [2]int{2, 1}, Priority: "NORMAL", Gate: -1}}, since())
	require.NoError(t, c.SetPriority(3*s, id, model.High))
	require.Equal(t, []event.Event{{At: 3 * s, Type: event.Priority, Node: model.NoNode, JobID: id, Name: "HIGH"}}, since())
	require.NoError(t, c.SetPool(4*s, id, " p "))
	require.Equal(t, []event.Event{{At: 4 * s, Type: event.Pool, Node: model.NoNode, JobID: id, Pool: "p"}}, since())
	p := c.View().Policy()
	p.Name = "mine"
	require.NoError(t, c.Reconfigure(5*s, p))
	require.Equal(t, []event.Event{{At: 5 * s, Type: event.Reconfigured, Node: model.NoNode, Name: "mine", Policy: &p}}, since())
	got := beat(t, c, 6*s, n)
	require.Len(t, got, 3)
	since()
	beat(t, c, 7*s, n, model.Status{Attempt: got[0], State: model.StateSucceeded})
	require.Equal(t, []event.Event{{At: 7 * s, Type: event.Succeeded, JobID: id, Attempt: got[0], Node: n, NodeName: "a", Locality: -1, Near: "any-place"}}, since())
	lost := []model.LostOutput{{Map: got[0].Task.Index}}
	beat(t, c, 8*s, n, model.Status{Attempt: got[2], Lost: lost})
	require.Empty(t, since(), "a map has no word in it")
	beat(t, c, 8*s, n, model.Status{Attempt: got[1], Lost: lost})
	require.Equal(t, event.Event{
		At: 8 * s, Type: event.OutputLost, JobID: id, Attempt: got[0], Node: n, NodeName: "a", Reason: model.Reason{Cause: model.CauseOutputLost},
	}, since()[0], "how near it was is not known any more")
	beat(t, c, 8*s, n, model.Status{Attempt: got[2], State: model.StateFailed, Err: "boom"})
	require.Equal(t, event.Event{At: 8 * s, Type: event.Failed, JobID: id, Attempt: got[2], Node: n, NodeName: "a", Locality: -1, Near: "any-place", Err: "boom"}, since()[0])
	require.NoError(t, c.Leave(9*s, n))
	gone := since()
	require.Equal(t, event.Event{At: 9 * s, Type: event.Lost, Node: n, NodeName: "a"}, gone[0])
	for _, e := range gone[1:] {
		require.Equal(t, event.Killed, e.Type)
		require.Equal(t, model.Reason{Cause: model.CauseNodeLost}, e.Reason)
	}
	require.Len(t, gone, 4)
	join(t, c, model.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1})
	again := beat(t, c, 10*s, n)
	since()
	require.NoError(t, c.Kill(10*s, id))
	ended := since()
	require.ElementsMatch(t, again, []model.AttemptID{ended[0].Attempt, ended[1].Attempt, ended[2].Attempt})
	require.Equal(t, event.Killed, ended[0].Type)
	require.Equal(t, event.Event{At: 10 * s, Type: event.Finished, Node: model.NoNode, JobID: id, State: "killed", Err: "killed"}, ended[3])
}

// Each suspension and each resumption of an attempt is an event.
func TestEventsOfSuspension(t *testing.T) {
	c, since := eventsOf(t, "hfsp", func(_ *core.Config, p *model.Policy) { p.HFSP = model.HFSPPolicy{NoTraining: true} })
	n := join(t, c, model.Node{Name: "n", ReduceSlots: 2})
	submit(t, c, model.JobSpec{Reduces: 2, ReduceTime: time.Hour})
	large := beat(t, c, 0, n)
	require.Len(t, large, 2)
	submitAt(t, c, time.Second, model.JobSpec{Reduces: 1, ReduceTime: time.Minute})
	since()
	got, err := c.Heartbeat(time.Second, model.Heartbeat{Node: n})
	require.NoError(t, err)
	require.Equal(t, []model.Action{
		{Verb: model.Suspend, Attempt: large[0], Locality: model.AnyPlace, Reason: model.Reason{Cause: model.CauseSmallerJob}},
		{Verb: model.Launch, Attempt: model.AttemptID{Task: model.TaskID{Job: 2, Kind: model.Reduce, Index: 0}, Try: 0}, Locality: model.AnyPlace, Reason: model.Reason{Cause: model.CauseAnyReduce}},
	}, got.Actions)
	require.Equal(t, event.Event{
		At: time.Second, Type: event.Suspended, JobID: 1, Attempt: large[0], Kind: model.Reduce, Node: n, NodeName: "n", Locality: model.AnyPlace, Reason: model.Reason{Cause: model.CauseSmallerJob},
	}, since()[0])
	v, ok := c.View().Attempt(large[0])
	require.True(t, ok)
	require.Equal(t, []any{true, time.Second}, []any{v.Suspended, v.Worked})
	got, err = c.Heartbeat(3*time.Second, model.Heartbeat{Node: n, Statuses: []model.Status{{Attempt: got.Actions[1].Attempt, State: model.StateSucceeded}}})
	require.NoError(t, err)
	require.Equal(t, []model.Action{{Verb: model.Resume, Attempt: large[0], Locality: model.AnyPlace, Reason: model.Reason{Cause: model.CauseResumed}}}, got.Actions)
	events := since()
	require.Equal(t, event.Event{At: 3 * time.Second, Type: event.Resumed, JobID: 1, Attempt: large[0], Kind: model.Reduce, Node: n, NodeName: "n", Locality: model.AnyPlace, Slot: 1, Held: 2 * time.Second}, events[len(events)-1])
	require.NoError(t, c.Update(10*time.Second))
	v, ok = c.View().Attempt(large[0])
	require.True(t, ok)
	require.Equal(t, []any{false, 8 * time.Second}, []any{v.Suspended, v.Worked}, "what it stood still for does not count")
}

// An event reports when all jobs begin or stop avoiding a node, with its faults and the limit.
func TestEventsOfAvoidance(t *testing.T) {
	var events []event.Event
	ofJobs := 0
	c := tenNodes(t, core.Config{Expiry: 1000 * time.Hour, Events: func(e event.Event) {
		switch {
		case e.Type == event.Avoided && e.JobID != 0:
			ofJobs++
		case e.Type == event.Avoided || e.Type == event.Admitted:
			events = append(events, e)
		}
	}}, model.Avoidance{Jobs: 2})
	faultyJob(t, c, 3)
	require.Empty(t, events)
	faultyJob(t, c, 3)
	require.Equal(t, []event.Event{{Type: event.Avoided, Node: 3, NodeName: "n3", Reason: model.Reason{Cause: model.CauseAvoided, Count: 2, Of: 2}}}, events)
	require.Equal(t, 2, ofJobs, "each of the two jobs avoids it")
	require.NoError(t, c.Update(24*time.Hour))
	require.Len(t, events, 2)
	require.Equal(t, event.Event{At: 24 * time.Hour, Type: event.Admitted, Node: 3, NodeName: "n3", Reason: model.Reason{Cause: model.CauseAvoided, Count: 1, Of: 2}}, events[1])
	require.NoError(t, c.Update(48*time.Hour))
	require.Equal(t, 0, c.Nodes[3].Faults)
}
