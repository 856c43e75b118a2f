package engine

import (
	"cmp"
	"fmt"
	"math"
	"testing"

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
