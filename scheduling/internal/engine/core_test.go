package engine

import (
	"cmp"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// policyOf returns the policy of a preset, changed by change unless that is nil.
func policyOf(t require.TestingT, preset string, change func(*model.Policy)) model.Policy {
	p, err := Preset(preset)
	require.NoError(t, err)
	if change != nil {
		change(&p)
	}
	return p
}

// coreOf returns a Core of a preset, changed by `change` unless nil, after the given nodes have
// joined.
func coreOf(t require.TestingT, preset string, change func(*core.Config, *model.Policy), nodes ...model.Node) *core.Core {
	p := policyOf(t, preset, nil)
	var cfg core.Config
	if change != nil {
		change(&cfg, &p)
	}
	return coretest.New(t, built, cfg, p, nodes...)
}

// oneNode is like coreOf with one node, and also returns the number of that node.
func oneNode(t require.TestingT, preset string, change func(*core.Config, *model.Policy), n model.Node) (*core.Core, model.NodeID) {
	n.Name = cmp.Or(n.Name, "n")
	return coreOf(t, preset, change, n), 0
}

// eventsOf returns a Core that records events; each call of `since` returns the new ones.
func eventsOf(t require.TestingT, preset string, change func(*core.Config, *model.Policy)) (c *core.Core, since func() []event.Event) {
	c = coreOf(t, preset, func(cfg *core.Config, p *model.Policy) {
		if change != nil {
			change(cfg, p)
		}
		since = coretest.Events(cfg)
	})
	return c, since
}

// newTestCore returns a Core of a preset and its nodes n1 to n4, in two racks of two. Each node has
// 2 map slots and 1 reduce slot.
func newTestCore(t require.TestingT, preset string, change func(*core.Config, *model.Policy)) (*core.Core, []model.NodeID) {
	nodes := coretest.Racks([2]int{2, 1}, 2, 2)
	for i := range nodes {
		nodes[i].Name, nodes[i].Rack = fmt.Sprint("n", i+1), fmt.Sprint("r", i/2+1)
	}
	return coreOf(t, preset, change, nodes...), []model.NodeID{0, 1, 2, 3}
}

// Short names of coretest's calls, each of which must succeed.
var (
	beat     = coretest.Beat
	report   = coretest.Report
	submit   = coretest.Submit
	submitAt = coretest.SubmitAt
	join     = coretest.Join
	jobView  = coretest.Job
	on       = coretest.On
)

func TestJobRunsThrough(t *testing.T) {
	for _, preset := range Presets() {
		c, nodes := newTestCore(t, preset, nil)
		id := submit(t, c, model.JobSpec{Name: "j", Maps: 5, Reduces: 2})
		now := time.Duration(0)
		running := map[model.NodeID][]model.AttemptID{}
		for range 50 {
			now += time.Second
			for _, n := range nodes {
				var done []model.Status
				for _, a := range running[n] {
					done = append(done, model.Status{Attempt: a, State: model.StateSucceeded})
				}
				running[n] = beat(t, c, now, n, done...)
			}
		}
		v := jobView(t, c, id)
		require.Equal(t, model.JobSucceeded, v.State, preset)
		require.Equal(t, 5, v.Kinds[model.Map].Done)
		require.Equal(t, 2, v.Kinds[model.Reduce].Done)
	}
}

func TestBlamelessFailuresDoNotCount(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	id := submit(t, c, model.JobSpec{Name: "j", Maps: 1})
	got := beat(t, c, 1, nodes[0])
	for range 10 {
		got = beat(t, c, 2, nodes[0], model.Status{Attempt: got[0], State: model.StateFailed, Blameless: true})
	}
	require.Equal(t, model.JobRunning, c.View().State(id))
	require.EqualValues(t, 10, got[0].Try)
}

func TestLostNodeRunsItsWorkAgain(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	id := submit(t, c, model.JobSpec{Name: "j", Maps: 3, Reduces: 1, SlowStart: 1})
	maps := beat(t, c, 1, nodes[0])
	require.Len(t, maps, 2)
	more := beat(t, c, 1, nodes[0], model.Status{Attempt: maps[0], State: model.StateSucceeded})
	require.Len(t, more, 1)
	for _, n := range nodes[1:] {
		_, err := c.Heartbeat(20*time.Minute, model.Heartbeat{Node: n, NoWork: true})
		require.NoError(t, err)
	}
	lost, err := c.Expire(20 * time.Minute)
	require.NoError(t, err)
	require.Equal(t, nodes[:1], lost)
	v := jobView(t, c, id)
	require.Equal(t, 3, v.Kinds[model.Map].Pending, "the done map's output is gone too")
	require.Zero(t, v.Kinds[model.Map].Running)
	got, err := c.Heartbeat(20*time.Minute, model.Heartbeat{Node: nodes[0]})
	require.NoError(t, err)
	require.True(t, got.Reregister)
	require.False(t, c.MayCommit(maps[1]), "an attempt of a lost node may not commit")
}

func TestRepeatedHeartbeatGetsTheSameAnswer(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	submit(t, c, model.JobSpec{Name: "j", Maps: 9})
	h := model.Heartbeat{Node: nodes[0], Seq: 1}
	first, err := c.Heartbeat(1, h)
	require.NoError(t, err)
	want := append([]model.Action(nil), first.Actions...)
	require.Len(t, want, 2)
	again, err := c.Heartbeat(2, h)
	require.NoError(t, err)
	require.Equal(t, want, again.Actions)
	v, _ := c.View().Job(1)
	require.Equal(t, 2, v.Kinds[model.Map].Running)
}

// View.Glance returns a job's view without shares and weights, which may depend on all jobs.
func TestGlance(t *testing.T) {
	c, nodes := newTestCore(t, "hfs", nil)
	submit(t, c, model.JobSpec{Name: "j", Maps: 2, Reduces: 1})
	require.NotEmpty(t, beat(t, c, 1, nodes[0]))
	job := jobView(t, c, 1)
	require.InDelta(t, 2, job.Kinds[model.Map].Share, 0)
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

func TestLateReportsAreIgnored(t *testing.T) {
	c, nodes := newTestCore(t, "fair", nil)
	_, err := c.Submit(0, model.JobSpec{Name: "j", Maps: 2})
	require.NoError(t, err)
	got := beat(t, c, 1, nodes[0])
	done := model.Status{Attempt: got[0], State: model.StateSucceeded}
	require.Empty(t, beat(t, c, 2, nodes[0], done, done, model.Status{Attempt: got[0], State: model.StateFailed}))
	v, _ := c.View().Job(1)
	require.Equal(t, 1, v.Kinds[model.Map].Done)
	answer, err := c.Heartbeat(3, model.Heartbeat{Node: nodes[1], Statuses: []model.Status{{Attempt: got[1]}}})
	require.NoError(t, err)
	require.Equal(t, model.Kill, answer.Actions[0].Verb, "an attempt that is not this node's is killed there")
}

// A job may have two failures of a task, and the loss of a node is none. The map's node is lost
// three times, then the map fails once; the job continues.
func TestLostAttemptsAreNotFailures(t *testing.T) {
	c, n := newTestCore(t, "fifo", func(cfg *core.Config, _ *model.Policy) { cfg.MaxAttempts = 2 })
	id := submit(t, c, model.JobSpec{Maps: 1})
	for life := range 3 {
		require.Len(t, beat(t, c, 0, n[life]), 1)
		require.NoError(t, c.Leave(0, n[life]))
	}
	got := beat(t, c, 0, n[3])
	require.Len(t, got, 1)
	got = beat(t, c, 0, n[3], model.Status{Attempt: got[0], State: model.StateFailed})
	require.Equal(t, model.JobRunning, c.View().State(id), "one failure of two")
	beat(t, c, 0, n[3], model.Status{Attempt: got[0], State: model.StateFailed})
	require.Equal(t, model.JobFailed, c.View().State(id))
}

// TestLostNodesAreNoFailures loses the node of a map more often than the map may fail.
func TestLostNodesAreNoFailures(t *testing.T) {
	for _, preset := range Presets() {
		c := coreOf(t, preset, func(cfg *core.Config, _ *model.Policy) { cfg.MaxAttempts = 1 })
		id := submit(t, c, model.JobSpec{Maps: 1})
		for life := range uint64(5) {
			n, err := c.Join(time.Duration(life), model.Node{Name: "a", MapSlots: 1, Incarnation: life})
			require.NoError(t, err)
			got, err := c.Heartbeat(time.Duration(life), model.Heartbeat{Node: n, Incarnation: life})
			require.NoError(t, err)
			require.Len(t, got.Actions, 1, preset)
			require.EqualValues(t, life, got.Actions[0].Attempt.Try)
			v := jobView(t, c, id)
			require.Zero(t, v.Kinds[model.Map].Failed)
			if life == 3 {
				require.NoError(t, c.Leave(time.Duration(life), n))
			}
		}
		require.Equal(t, model.JobRunning, c.View().State(id), preset)
	}
}

// If a network delivers a registration twice, the second changes nothing: the Core still ignores a
// heartbeat that is older than the last one.
func TestJoinAgain(t *testing.T) {
	c := coreOf(t, "fifo", nil)
	spec := model.Node{Name: "a", MapSlots: 2, Incarnation: 1}
	n := join(t, c, spec)
	submit(t, c, model.JobSpec{Maps: 1})
	beat := model.Heartbeat{Node: n, Incarnation: 1, Seq: 1}
	first, err := c.Heartbeat(1, beat)
	require.NoError(t, err)
	actions := append([]model.Action(nil), first.Actions...)
	require.Len(t, actions, 1)
	_, err = c.Join(2, spec)
	require.NoError(t, err)
	again, err := c.Heartbeat(3, beat)
	require.NoError(t, err)
	require.Equal(t, actions, again.Actions, "the answer was lost; it is given again")
}
