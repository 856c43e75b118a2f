package engine

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// newTestCore makes a core of a preset with two racks of two nodes, each with 2 map slots and 1
// reduce slot.
func newTestCore(t *testing.T, preset string, change func(*core.Config, *core.Policy)) (*core.Core, []core.NodeID) {
	t.Helper()
	p, err := Preset(preset)
	require.NoError(t, err)
	var cfg core.Config
	if change != nil {
		change(&cfg, &p)
	}
	c, err := NewCore(cfg, p)
	require.NoError(t, err)
	var ids []core.NodeID
	for i, name := range []string{"n1", "n2", "n3", "n4"} {
		id, err := c.Join(0, core.Node{Name: name, Rack: []string{"r1", "r2"}[i/2], MapSlots: 2, ReduceSlots: 1})
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return c, ids
}

// beat sends a heartbeat and returns copies of the attempts launched.
func beat(t require.TestingT, c *core.Core, now time.Duration, n core.NodeID, statuses ...core.Status) []core.AttemptID {
	got, err := c.Heartbeat(now, core.Heartbeat{Node: n, Statuses: statuses})
	require.NoError(t, err)
	var ids []core.AttemptID
	for _, o := range got.Actions {
		if o.Verb == core.Launch {
			ids = append(ids, o.Attempt)
		}
	}
	return ids
}

func TestJobRunsThrough(t *testing.T) {
	for _, preset := range Presets() {
		c, nodes := newTestCore(t, preset, nil)
		id, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 5, Reduces: 2})
		require.NoError(t, err)
		now := time.Duration(0)
		running := map[core.NodeID][]core.AttemptID{}
		for range 50 {
			now += time.Second
			for _, n := range nodes {
				var done []core.Status
				for _, a := range running[n] {
					done = append(done, core.Status{Attempt: a, State: core.StateSucceeded})
				}
				running[n] = beat(t, c, now, n, done...)
			}
		}
		v, err := c.View().Job(id)
		require.NoError(t, err)
		require.Equal(t, core.JobSucceeded, v.State, preset)
		require.Equal(t, 5, v.Kinds[core.Map].Done)
		require.Equal(t, 2, v.Kinds[core.Reduce].Done)
	}
}

func TestFourFailuresFailTheJob(t *testing.T) {
	c, nodes := newTestCore(t, "fifo", func(_ *core.Config, p *core.Policy) { p.Spread = false })
	id, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 1})
	require.NoError(t, err)
	got := beat(t, c, 1, nodes[0])
	for try := range int32(4) {
		require.Equal(t, []core.AttemptID{{Task: core.TaskID{Job: id, Kind: core.Map, Index: 0}, Try: try}}, got)
		require.Equal(t, core.JobRunning, c.View().State(id))
		got = beat(t, c, 2, nodes[0], core.Status{Attempt: got[0], State: core.StateFailed, Err: "boom"})
	}
	require.Empty(t, got)
	v, err := c.View().Job(id)
	require.NoError(t, err)
	require.Equal(t, core.JobFailed, v.State)
	require.Contains(t, v.Err, "boom")
}

func TestBlamelessFailuresDoNotCount(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	id, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 1})
	require.NoError(t, err)
	got := beat(t, c, 1, nodes[0])
	for range 10 {
		got = beat(t, c, 2, nodes[0], core.Status{Attempt: got[0], State: core.StateFailed, Blameless: true})
	}
	require.Equal(t, core.JobRunning, c.View().State(id))
	require.EqualValues(t, 10, got[0].Try)
}

func TestLostNodeRunsItsWorkAgain(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	id, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 3, Reduces: 1, SlowStart: 1})
	require.NoError(t, err)
	maps := beat(t, c, 1, nodes[0])
	require.Len(t, maps, 2)
	more := beat(t, c, 1, nodes[0], core.Status{Attempt: maps[0], State: core.StateSucceeded})
	require.Len(t, more, 1)
	for _, n := range nodes[1:] {
		_, err := c.Heartbeat(20*time.Minute, core.Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
	}
	lost, err := c.Expire(20 * time.Minute)
	require.NoError(t, err)
	require.Equal(t, nodes[:1], lost)
	v, err := c.View().Job(id)
	require.NoError(t, err)
	require.Equal(t, 3, v.Kinds[core.Map].Pending, "the done map's output is gone too")
	require.Zero(t, v.Kinds[core.Map].Running)
	got, err := c.Heartbeat(20*time.Minute, core.Heartbeat{Node: nodes[0]})
	require.NoError(t, err)
	require.True(t, got.Reregister)
	require.False(t, c.MayCommit(maps[1]), "an attempt of a lost node may not commit")
}

func TestLateReportsAreIgnored(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	_, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 2})
	require.NoError(t, err)
	got := beat(t, c, 1, nodes[0])
	done := core.Status{Attempt: got[0], State: core.StateSucceeded}
	require.Empty(t, beat(t, c, 2, nodes[0], done, done, core.Status{Attempt: got[0], State: core.StateFailed}))
	v, _ := c.View().Job(1)
	require.Equal(t, 1, v.Kinds[core.Map].Done)
	answer, err := c.Heartbeat(3, core.Heartbeat{Node: nodes[1], Statuses: []core.Status{{Attempt: got[1]}}})
	require.NoError(t, err)
	require.Equal(t, core.Kill, answer.Actions[0].Verb, "an attempt that is not this node's is killed there")
}

func TestRepeatedHeartbeatGetsTheSameAnswer(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	_, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 9})
	require.NoError(t, err)
	h := core.Heartbeat{Node: nodes[0], Seq: 1}
	first, err := c.Heartbeat(1, h)
	require.NoError(t, err)
	want := append([]core.Action(nil), first.Actions...)
	require.Len(t, want, 2)
	again, err := c.Heartbeat(2, h)
	require.NoError(t, err)
	require.Equal(t, want, again.Actions)
	v, _ := c.View().Job(1)
	require.Equal(t, 2, v.Kinds[core.Map].Running)
}

func TestLostOutputRunsTheMapAgain(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	id, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 1, Reduces: 1, SlowStart: 1})
	require.NoError(t, err)
	m := beat(t, c, 1, nodes[0])
	r := beat(t, c, 2, nodes[0], core.Status{Attempt: m[0], State: core.StateSucceeded})
	require.Len(t, r, 1)
	lost := core.Status{Attempt: r[0], Lost: []core.LostOutput{{Map: 0, Try: 0}}}
	again := beat(t, c, 3, nodes[0], lost)
	require.Equal(t, []core.AttemptID{{Task: core.TaskID{Job: id, Kind: core.Map, Index: 0}, Try: 1}}, again)
	require.Empty(t, beat(t, c, 4, nodes[0], core.Status{Attempt: again[0], State: core.StateSucceeded}, lost), "another attempt has replaced the output")
	_, try, ok := c.View().Output(core.TaskID{Job: id, Kind: core.Map, Index: 0})
	require.True(t, ok)
	require.EqualValues(t, 1, try)
}

// A glance at a job says all but shares and weights, which may depend on all jobs.
func TestGlance(t *testing.T) {
	c, nodes := newTestCore(t, "hfs", nil)
	_, err := c.Submit(0, core.JobSpec{Name: "j", Maps: 2, Reduces: 1})
	require.NoError(t, err)
	require.NotEmpty(t, beat(t, c, 1, nodes[0]))
	job, err := c.View().Job(1)
	require.NoError(t, err)
	require.InDelta(t, 2, job.Kinds[core.Map].Share, 0)
	glance, err := c.View().Glance(1)
	require.NoError(t, err)
	for k := range glance.Kinds {
		require.True(t, math.IsNaN(glance.Kinds[k].Share))
		glance.Kinds[k].Share, glance.Kinds[k].Weight = job.Kinds[k].Share, job.Kinds[k].Weight
	}
	require.Equal(t, job, glance)
	_, err = c.View().Glance(2)
	require.ErrorIs(t, err, core.ErrUnknownJob)
}
