package engine

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// allJobs returns the jobs of which the Core has a record.
func allJobs(c *core.Core) (jobs []*core.Job) {
	for id := range c.LastJob {
		if j := c.Job(id + 1); j != nil {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// tiny runs n jobs of one map and one reduce, one after the other.
func tiny(t *testing.T, c *core.Core, node model.NodeID, n int) {
	for range n {
		submit(t, c, model.JobSpec{Name: "tiny", Maps: 1, Reduces: 1, Places: on(1, node)})
		for range 2 {
			got, err := c.Heartbeat(c.Now+time.Millisecond, model.Heartbeat{Node: node})
			require.NoError(t, err)
			require.Len(t, got.Actions, 1)
			_, err = c.Heartbeat(c.Now, model.Heartbeat{
				Node: node, NoWork: true,
				Statuses: []model.Status{{Attempt: got.Actions[0].Attempt, State: model.StateSucceeded, OutputBytes: []int64{1}}},
			})
			require.NoError(t, err)
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestManyJobsLeaveNothing(t *testing.T) {
	for _, preset := range Presets() {
		c, n := oneNode(t, preset, func(_ *core.Config, p *model.Policy) { p.Reduce.Rule = model.CoGRS }, model.Node{Name: "n", MapSlots: 1, ReduceSlots: 1})
		jobs := 10_000
		if preset == "hfs" { // the Core's own records are the same under every policy
			jobs = 100_000
		}
		tiny(t, c, n, 2_000)
		before := heapInUse()
		tiny(t, c, n, jobs)
		require.Less(t, heapInUse(), before+256<<10, "%s: %d jobs", preset, jobs)
		require.Len(t, allJobs(c), 1000)
		require.Equal(t, 2_000+jobs, c.View().Jobs())
		_, err := c.View().Job(1)
		require.ErrorIs(t, err, core.ErrUnknownJob)
	}
}

func TestEndedJobsAreForgotten(t *testing.T) {
	for _, history := range []int{-1, 1, 2} {
		c, nodes := newTestCore(t, "fifo", func(cfg *core.Config, _ *model.Policy) { cfg.History = history })
		submit(t, c, model.JobSpec{Maps: 1, Reduces: 3, SlowStart: 1})
		submit(t, c, model.JobSpec{Maps: 1})
		got := beat(t, c, 0, nodes[0])
		got = append(got, beat(t, c, 0, nodes[1])...)
		require.Len(t, got, 2)
		for _, id := range []model.JobID{2, 3, 4} {
			if id > 2 {
				submit(t, c, model.JobSpec{Maps: 1})
			}
			require.NoError(t, c.Kill(0, id))
		}
		known := 0
		for id := model.JobID(1); id <= 4; id++ {
			if v, err := c.View().Job(id); err == nil {
				known++
				require.Equal(t, 1, v.Kinds[model.Map].Total, "its numbers outlive its tables")
			}
		}
		require.Equal(t, map[int]int{-1: 4, 1: 2, 2: 3}[history], known, "of the ended jobs %d, and the first", history)
		late, err := c.Heartbeat(0, model.Heartbeat{Node: nodes[1], NoWork: true, Statuses: []model.Status{{Attempt: model.AttemptID{Task: model.TaskID{Job: 2, Kind: model.Map, Index: 0}}, State: model.StateSucceeded}}})
		require.NoError(t, err)
		for _, o := range late.Actions {
			require.Equal(t, model.Kill, o.Verb)
		}
		require.NoError(t, c.MapOutput(0, model.TaskID{Job: 2, Kind: model.Map, Index: 0}, []int64{1}))
		id := submit(t, c, model.JobSpec{Maps: 1})
		require.Equal(t, model.JobID(5), id, "ids are not used again")
	}
}

func TestForgettingIsReplayed(t *testing.T) {
	p := policyOf(t, "hfs", nil)
	var again *core.Core
	c, err := NewCore(core.Config{History: 2, Calls: func(call *calls.Call) { require.NoError(t, Replay(again, call)) }}, p)
	require.NoError(t, err)
	again, err = NewCore(core.Config{History: 2}, p)
	require.NoError(t, err)
	n := join(t, c, model.Node{Name: "n", MapSlots: 1, ReduceSlots: 1})
	for range 20 {
		tiny(t, c, n, 3)
		require.Len(t, allJobs(again), len(allJobs(c)))
	}
}
