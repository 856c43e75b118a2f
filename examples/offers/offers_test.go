package offers

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// cluster is a Core with nodes n0, n1, … in one rack, each with one map slot. runs is each node's
// running attempt.
type cluster struct {
	t    *testing.T
	core *scheduling.Core
	runs map[int]scheduling.AttemptID
}

func newCluster(t *testing.T, nodes int, c Config) *cluster {
	core, err := scheduling.NewCore(
		scheduling.Config{HeartbeatInterval: time.Second, Parts: Parts(c)}, Policy())
	require.NoError(t, err)
	for i := range nodes {
		_, err := core.Join(0, scheduling.Node{Name: fmt.Sprint("n", i), MapSlots: 1})
		require.NoError(t, err)
	}
	return &cluster{t, core, map[int]scheduling.AttemptID{}}
}

// submit submits a job of a framework with 20 maps, whose data are all on one node.
func (c *cluster) submit(at float64, framework string, node scheduling.NodeID) scheduling.JobID {
	places := scheduling.Places{Offsets: []int32{0}}
	for i := range 20 {
		places.Offsets = append(places.Offsets, int32(i+1))
		places.Nodes = append(places.Nodes, node)
	}
	id, err := c.core.Submit(seconds(at), scheduling.JobSpec{Pool: framework, Maps: 20, Places: places})
	require.NoError(c.t, err)
	return id
}

// beat sends a heartbeat in which the node's attempt has ended. It returns the job whose map is
// launched there, or 0.
func (c *cluster) beat(at float64, node int) scheduling.JobID {
	h := scheduling.Heartbeat{Node: scheduling.NodeID(node)}
	if a, ok := c.runs[node]; ok {
		h.Statuses = []scheduling.Status{{Attempt: a, State: scheduling.StateSucceeded}}
		delete(c.runs, node)
	}
	got, err := c.core.Heartbeat(seconds(at), h)
	require.NoError(c.t, err)
	for _, a := range got.Actions {
		c.runs[node] = a.Attempt
		return a.Attempt.Task.Job
	}
	return 0
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// If a framework waits for its data's node and refuses a slot, the next framework gets the slot.
// Until its filter ends, the first is not offered that node, even if it would accept.
func TestDeclinedSlotsGoToTheNextFramework(t *testing.T) {
	c := newCluster(t, 4, Config{
		Frameworks: []Framework{{Name: "picky", Waits: []time.Duration{5 * time.Second}}, {Name: "greedy"}},
		Filter:     10 * time.Second,
	})
	picky, greedy := c.submit(0, "picky", 0), c.submit(0, "greedy", 0)
	require.Equal(t, greedy, c.beat(1, 1), "picky is asked first and refuses")
	require.Equal(t, greedy, c.beat(2, 2))
	require.Equal(t, greedy, c.beat(7, 1), "picky has waited for 5 s, but is not offered n1 until 11 s")
	require.Equal(t, picky, c.beat(8, 3), "which it has not refused")
	require.Equal(t, greedy, c.beat(9, 2), "it takes any node now, but is not offered n2")
	require.Equal(t, picky, c.beat(12, 2), "until 12 s")
}

// The framework with the fewest running tasks per weight is offered a slot first.
func TestOffersGoByWeight(t *testing.T) {
	c := newCluster(t, 8, Config{Frameworks: []Framework{{Name: "a"}, {Name: "b", Weight: 3}}})
	a, b := c.submit(0, "a", 0), c.submit(0, "b", 0)
	var got []scheduling.JobID
	for i := range 8 {
		got = append(got, c.beat(1, i))
	}
	require.Equal(t, []scheduling.JobID{a, b, b, b, a, b, b, b}, got)
}

// A framework's FIFO setting orders its own jobs: oldest first, or fewest running tasks first.
func TestFrameworksOrderTheirJobs(t *testing.T) {
	for _, fifo := range []bool{true, false} {
		c := newCluster(t, 4, Config{Frameworks: []Framework{{Name: "a", FIFO: fifo}}})
		first, second := c.submit(0, "a", 0), c.submit(0, "a", 0)
		want := []scheduling.JobID{first, second, first, second}
		if fifo {
			want = []scheduling.JobID{first, first, first, first}
		}
		var got []scheduling.JobID
		for i := range 4 {
			got = append(got, c.beat(1, i))
		}
		require.Equal(t, want, got)
	}
}

// If a job accepts a slot that another job of its framework refused, no filter remains. A new job
// ends all filters of its framework.
func TestFiltersEnd(t *testing.T) {
	wait := []time.Duration{time.Hour}
	c := newCluster(t, 3, Config{Frameworks: []Framework{{Name: "a", FIFO: true, Waits: wait}}, Filter: time.Hour})
	first := c.submit(0, "a", 0)
	require.Zero(t, c.beat(1, 1))
	require.Zero(t, c.beat(1, 2))
	second := c.submit(2, "a", 1)
	require.Equal(t, second, c.beat(3, 1), "refused by the first, taken by the second")
	require.Equal(t, second, c.beat(4, 1), "there is no filter")
	require.Equal(t, first, c.beat(4, 0))
	require.Zero(t, c.beat(5, 2))
	third := c.submit(7, "a", 2)
	require.Equal(t, third, c.beat(8, 2), "a new job revives the offers")
	other := c.submit(9, "b", 0)
	require.Equal(t, other, c.beat(10, 2), "a framework that nobody named")
}

// With random frameworks, waits and filters all jobs end, and a replay of the Core's calls returns
// the same actions.
func TestOffersReplay(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var c Config
		for i := range rapid.IntRange(1, 3).Draw(rt, "frameworks") {
			f := Framework{Name: fmt.Sprint(i), Weight: rapid.Float64Range(0.5, 3).Draw(rt, "weight"), FIFO: rapid.Bool().Draw(rt, "fifo")}
			for range rapid.IntRange(0, 3).Draw(rt, "levels") {
				f.Waits = append(f.Waits, time.Duration(rapid.IntRange(0, 20).Draw(rt, "wait"))*time.Second)
			}
			c.Frameworks = append(c.Frameworks, f)
		}
		c.Filter = time.Duration(rapid.IntRange(0, 30).Draw(rt, "filter")) * time.Second
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		w := workload.Workload{Name: "random"}
		for i := range 1 + r.IntN(10) {
			w.Jobs = append(w.Jobs, workload.Job{
				Name: fmt.Sprint(i), User: "u", Pool: fmt.Sprint(r.IntN(4)), Submit: seconds(float64(20 * i)), Maps: 1 + r.IntN(20), Reduces: r.IntN(3),
				InputBytes: 1e9, ShuffleBytes: 1e8, Map: workload.Cost{Time: 5 * time.Second}, NoLocation: r.IntN(5) == 0,
			})
			if w.Jobs[i].Reduces == 0 {
				w.Jobs[i].ShuffleBytes = 0
			}
		}
		var log bytes.Buffer
		calls := calls.NewWriter(&log)
		cfg := simulator.Config{
			Cluster: simulator.Cluster{Nodes: 6, Racks: 2, MapSlots: 2}, Policy: Policy(), Seed: 1,
			Core: scheduling.Config{
				Parts: Parts(c), HeartbeatInterval: time.Second, Calls: calls.Write,
			},
		}
		res, err := simulator.Run(t.Context(), cfg, &w)
		require.NoError(rt, err)
		require.Equal(rt, len(w.Jobs), res.Report.Jobs)
		cfg.Core.Calls = nil
		fresh, err := scheduling.NewCore(cfg.Core, Policy())
		require.NoError(rt, err)
		require.NoError(rt, fresh.Replay(&log))
	})
}
