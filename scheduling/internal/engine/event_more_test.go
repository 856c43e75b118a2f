package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Numbers of slots are the lowest that are free, and nobody has one that another holds.
func TestSlotNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s core.SlotNumbers
		held := map[int32]int32{} // count by first
		var order []int32
		taken := func(at int32) bool {
			for first, count := range held {
				if at >= first && at < first+count {
					return true
				}
			}
			return false
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if len(order) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
				s.Free(order[i], held[order[i]])
				delete(held, order[i])
				order = append(order[:i], order[i+1:]...)
				continue
			}
			count := rapid.Int32Range(1, 3).Draw(t, "count")
			want := int32(1)
			for run := int32(0); run < count; {
				if taken(want + run) {
					want, run = want+run+1, 0
					continue
				}
				run++
			}
			got := s.Take(count)
			require.Equal(t, want, got)
			held[got] = count
			order = append(order, got)
		}
	})
}

// How a reduce's node compares with its center stands in the reason.
func TestWhyOfReduces(t *testing.T) {
	for want, e := range map[string]core.Event{
		"center of gravity":                     {Reason: core.Reason{Cause: core.CauseGravity}, Placed: &core.Placed{Center: "a", AtCenter: 10, Here: 10}},
		"near enough: +2.0 % over node-15":      {Reason: core.Reason{Cause: core.CauseGravity}, Placed: &core.Placed{Center: "node-15", AtCenter: 100, Here: 102}},
		"near enough: all of its input is on a": {Reason: core.Reason{Cause: core.CauseGravity}, Placed: &core.Placed{Center: "a", Here: 1}},
		"waited for locality, 1s so far: +50.0 % over b": {
			Reason: core.Reason{Cause: core.CauseWaited, Wait: time.Second}, Placed: &core.Placed{Center: "b", AtCenter: 100, Here: 150},
		},
		"no gain in waiting": {Reason: core.Reason{Cause: core.CauseNoGain}, Placed: &core.Placed{Here: 5}},
		"any node":           {Reason: core.Reason{Cause: core.CauseAnyReduce}},
	} {
		require.Equal(t, want, e.Why())
	}
}

// twoRacks is a Core that explains, with cogrs, and nodes a and b in one rack, c and d in another.
func twoRacks(t *testing.T) (*core.Core, []core.NodeID, func() []core.Event) {
	c, since := told(t, "hfs", func(cfg *core.Config, p *core.Policy) {
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

// A reduce's launch tells what other nodes would have cost: the best of all, the mean, and those
// that were kept in mind. Input and output of maps are told, too.
func TestCostsOfReducesAreTold(t *testing.T) {
	c, nodes, since := twoRacks(t)
	_, err := c.Submit(0, core.JobSpec{Maps: 2, Reduces: 1, SlowStart: 1, InputBytes: 77, Places: core.Places{Offsets: []int32{0, 1, 2}, Nodes: nodes[:2]}})
	require.NoError(t, err)
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

// A job that lets a slot pass for the center of a reduce says which node that is.
func TestSkippedReducesNameTheirCenter(t *testing.T) {
	c, nodes, since := twoRacks(t)
	_, err := c.Submit(0, core.JobSpec{Maps: 2, Reduces: 2, SlowStart: 1, Places: core.Places{Offsets: []int32{0, 1, 2}, Nodes: nodes[:2]}})
	require.NoError(t, err)
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

// Where all nodes are alike a job may still pass over one that has its part of the reduces; then there
// is no center to name.
func TestSkippedReducesOfAnEvenJob(t *testing.T) {
	c, since := told(t, "hfs", func(cfg *core.Config, p *core.Policy) {
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
	_, err := c.Submit(0, core.JobSpec{Maps: all, Reduces: 2, SlowStart: 1, Places: core.Places{Offsets: offsets, Nodes: nodes}})
	require.NoError(t, err)
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

// Places are told by their number where all maps have as many, else one by one, and not at all of a
// huge job.
func TestPlacesToldCompactly(t *testing.T) {
	c := &core.Core{Config: core.Config{Explain: true, Events: func(core.Event) {}}}
	require.Nil(t, c.InputPlaces(core.Places{}))
	require.Equal(t, &core.InputPlaces{Each: 2, Nodes: []core.NodeID{1, 2, 3, 4}}, c.InputPlaces(core.Places{Offsets: []int32{0, 2, 4}, Nodes: []core.NodeID{1, 2, 3, 4}}))
	require.Equal(t, &core.InputPlaces{Counts: []int32{0, 2}, Nodes: []core.NodeID{1, 2}}, c.InputPlaces(core.Places{Offsets: []int32{0, 0, 2}, Nodes: []core.NodeID{1, 2}}))
	require.Equal(t, &core.InputPlaces{Omitted: core.MostPlaces + 1}, c.InputPlaces(core.Places{Offsets: []int32{0, core.MostPlaces + 1}, Nodes: make([]core.NodeID, core.MostPlaces+1)}))
	huge := &core.Job{Spec: core.JobSpec{Maps: core.MostOutputs, Reduces: 2}}
	sum, parts := c.OutputTold(huge, []int64{1, 2})
	require.Equal(t, []any{int64(3), []int64(nil)}, []any{sum, parts})
}

// A job that waits because all slots are taken is told of once, at the update in which it launched
// nothing; progress at each quarter; a node's cordon when it changes.
func TestWaitsForSlotsProgressAndCordons(t *testing.T) {
	c, since := told(t, "fair", func(cfg *core.Config, _ *core.Policy) { cfg.Explain = true })
	n, err := c.Join(0, core.Node{Name: "n", MapSlots: 1})
	require.NoError(t, err)
	for range 2 {
		_, err = c.Submit(0, core.JobSpec{Maps: 1})
		require.NoError(t, err)
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
	var told []float64
	for i, done := range []float64{0.1, 0.3, 0.4, 0.8, 1} {
		beat(t, c, time.Duration(3+i), n, core.Status{Attempt: got[0], Progress: done})
		for _, e := range since() {
			require.Equal(t, core.EventProgress, e.Type)
			told = append(told, e.Progress)
		}
	}
	require.Equal(t, []float64{0.3, 0.8, 1}, told)
	require.NoError(t, c.Cordon(9, n, true))
	require.NoError(t, c.Cordon(9, n, true))
	require.NoError(t, c.Cordon(9, n, false))
	require.Equal(t, []core.Event{
		{At: 9, Type: core.EventCordoned, Node: n, NodeName: "n", State: "cordoned"}, {At: 9, Type: core.EventCordoned, Node: n, NodeName: "n", State: "open"},
	}, since())
}

// Preemption that is only logged names those that it would kill, and leaves them alone; one that is
// on kills the same.
func TestVictimsOfTheDryRun(t *testing.T) {
	victims := map[core.PreemptionMode][]core.AttemptID{}
	for _, mode := range []core.PreemptionMode{core.PreemptLog, core.PreemptOn} {
		c, since := told(t, "hfs", func(_ *core.Config, p *core.Policy) {
			p.Spread = false
			p.Pools.Pools = []core.PoolConfig{{Name: "a", Min: [2]int{2, 0}, MinTimeout: 1}}
			p.Preemption = core.PreemptionPolicy{Mode: mode, Interval: -1}
		})
		n, err := c.Join(0, core.Node{Name: "n", MapSlots: 4})
		require.NoError(t, err)
		_, err = c.Submit(0, core.JobSpec{Pool: "b", Maps: 9})
		require.NoError(t, err)
		beat(t, c, 0, n)
		_, err = c.Submit(0, core.JobSpec{Pool: "a", Maps: 2})
		require.NoError(t, err)
		require.NoError(t, c.Update(0))
		since()
		killed, err := c.Preempt(time.Second)
		require.NoError(t, err)
		for _, e := range since() {
			if e.Type == core.EventVictim || e.Type == core.EventKilled {
				require.Equal(t, mode == core.PreemptOn, e.Type == core.EventKilled)
				victims[mode] = append(victims[mode], e.Attempt)
			}
		}
		require.Len(t, killed, map[core.PreemptionMode]int{core.PreemptLog: 0, core.PreemptOn: 2}[mode])
	}
	require.Len(t, victims[core.PreemptLog], 2)
	require.Equal(t, victims[core.PreemptOn], victims[core.PreemptLog])
}

// Under hfsp a job's place in the virtual cluster is told, under capacity what a queue's capacity
// is, in slots; the same thing not twice.
func TestSharesOfJobsAndQueues(t *testing.T) {
	for _, preset := range []string{"hfsp", "capacity", "hfs"} {
		c, since := told(t, preset, func(cfg *core.Config, p *core.Policy) {
			cfg.Explain = true
			if preset == "capacity" {
				p.Queues = []core.QueueConfig{{Name: "default", Capacity: 75, Max: 80}, {Name: "b", Capacity: 25}}
			}
		})
		_, err := c.Join(0, core.Node{Name: "n", MapSlots: 20})
		require.NoError(t, err)
		_, err = c.Submit(0, core.JobSpec{Maps: 40})
		require.NoError(t, err)
		since()
		shares := func(at time.Duration) (list []core.Event) {
			require.NoError(t, c.Update(at))
			for _, e := range since() {
				if e.Type == core.EventShares {
					list = append(list, e)
				}
			}
			return list
		}
		got := shares(time.Second)
		switch preset {
		case "hfsp":
			require.Len(t, got, 1)
			require.Equal(t, 20.0, got[0].Virtual[core.Map].Slots)
			require.Positive(t, got[0].Virtual[core.Map].Left)
			require.Len(t, shares(2*time.Second), 1, "less work is left")
		case "capacity":
			require.Equal(t, []core.Event{
				{At: time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "default", Shares: [2]float64{15, 0}, Demand: [2]int{40, 0}, Max: [2]int{16, -1}},
				{At: time.Second, Type: core.EventShares, Node: core.NoNode, Pool: "b", Shares: [2]float64{5, 0}},
				{At: time.Second, Type: core.EventShares, JobID: 1, Node: core.NoNode, Pool: "default", Demand: [2]int{40, 0}},
			}, got)
			require.Empty(t, shares(2*time.Second))
		default:
			require.Len(t, got, 2, "the pool and the job")
			require.Equal(t, []any{core.JobID(1), "anonymous"}, []any{got[1].JobID, got[1].Pool})
			require.Equal(t, []any{20.0, 40}, []any{got[1].Shares[core.Map], got[1].Demand[core.Map]})
			require.Empty(t, shares(2*time.Second))
		}
	}
}
