package engine

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// tenNodes returns a Core under fair with ten nodes of two map slots each.
func tenNodes(t *testing.T, cfg core.Config, avoid model.Avoidance) *core.Core {
	p := policyOf(t, "fair", nil)
	p.Avoid = avoid
	c, err := NewCore(cfg, p)
	require.NoError(t, err)
	for i := range 10 {
		join(t, c, model.Node{Name: fmt.Sprint("n", i), MapSlots: 2})
	}
	return c
}

// failOn fails the given number of attempts of the first job's maps on node n.
func failOn(t *testing.T, c *core.Core, n model.NodeID, times int) {
	for range times {
		got := beat(t, c, c.Now, n)
		require.NotEmpty(t, got)
		report(t, c, c.Now, n, model.Status{Attempt: got[0], State: model.StateFailed})
		for _, a := range got[1:] {
			report(t, c, c.Now, n, model.Status{Attempt: a, State: model.StateKilled})
		}
	}
}

// A job that would avoid a quarter of the nodes or more avoids none: it is to blame.
func TestJobAvoidsLessThanAQuarterOfTheNodes(t *testing.T) {
	c := tenNodes(t, core.Config{MaxAttempts: 200}, model.Avoidance{JobFailures: 2})
	submit(t, c, model.JobSpec{Maps: 50})
	failOn(t, c, 0, 2)
	failOn(t, c, 1, 2)
	require.Empty(t, beat(t, c, 0, 0))
	require.Empty(t, beat(t, c, 0, 1))
	failOn(t, c, 2, 2)
	for n := range model.NodeID(3) {
		require.Len(t, beat(t, c, 0, n), 2, "three of ten")
	}
}

// faultyJob runs a job that succeeds although four of its attempts on node n fail.
func faultyJob(t *testing.T, c *core.Core, n model.NodeID) {
	id := submit(t, c, model.JobSpec{Maps: 3, MaxAttempts: 100})
	failOn(t, c, n, 4)
	for _, on := range []model.NodeID{8, 9} {
		var done []model.Status
		for _, a := range beat(t, c, c.Now, on) {
			done = append(done, model.Status{Attempt: a, State: model.StateSucceeded})
		}
		_, err := c.Heartbeat(c.Now, model.Heartbeat{Node: on, Statuses: done, NoWork: true})
		require.NoError(t, err)
	}
	require.Equal(t, model.JobSucceeded, c.View().State(id))
}

// The failures of a job that fails do not count against the nodes.
func TestFailedJobBlamesNoNode(t *testing.T) {
	c := tenNodes(t, core.Config{}, model.Avoidance{})
	for range 8 {
		id := submit(t, c, model.JobSpec{Maps: 1})
		failOn(t, c, 3, 4)
		require.Equal(t, model.JobFailed, c.View().State(id))
	}
	require.False(t, c.View().Nodes()[3].Avoided)
}

// Under a new policy, its limit on failures decides which nodes a job avoids.
func TestNewPolicyAvoidsOtherNodes(t *testing.T) {
	c := tenNodes(t, core.Config{MaxAttempts: 200}, model.Avoidance{JobFailures: -1})
	submit(t, c, model.JobSpec{Maps: 50})
	failOn(t, c, 3, 9)
	p := c.Policy
	p.Avoid = model.Avoidance{JobFailures: 9}
	require.NoError(t, c.Reconfigure(0, p))
	require.Empty(t, beat(t, c, 0, 3))
	p.Avoid = model.Avoidance{JobFailures: 10}
	require.NoError(t, c.Reconfigure(0, p))
	require.Len(t, beat(t, c, 0, 3), 2)
}

// Faults keep all jobs from at most half of the nodes, and from no node whose faults are below 1.5
// times the mean of all nodes.
func TestAllAvoidHalfOfTheNodesAtMost(t *testing.T) {
	c := tenNodes(t, core.Config{}, model.Avoidance{Jobs: 1})
	faultyJob(t, c, 0)
	require.True(t, c.View().Nodes()[0].Avoided)
	c = tenNodes(t, core.Config{}, model.Avoidance{})
	for range 4 {
		for n := range model.NodeID(6) {
			faultyJob(t, c, n)
		}
	}
	avoided := 0
	for _, n := range c.View().Nodes() {
		if n.Avoided {
			avoided++
		}
	}
	require.Equal(t, 5, avoided)
	checkInvariants(t, c)

	c = tenNodes(t, core.Config{}, model.Avoidance{Jobs: 1})
	for n := range model.NodeID(8) {
		c.Nodes[n].Faults = 5
	}
	faultyJob(t, c, 4)
	require.False(t, c.View().Nodes()[4].Avoided, "6 faults, and the mean is 4.1")
}

// A node that joins with a new incarnation has no faults, and jobs count no failures on it.
func TestNodeWithANewIncarnation(t *testing.T) {
	c := tenNodes(t, core.Config{MaxAttempts: 200}, model.Avoidance{Jobs: 1})
	faultyJob(t, c, 3)
	require.Equal(t, []any{1, true}, []any{c.Nodes[3].Faults, c.Nodes[3].Avoided})
	called, _ := c.Due()
	require.NotContains(t, called, model.NodeID(3), "nothing waits for it")
	submit(t, c, model.JobSpec{Maps: 50})
	failOn(t, c, 5, 4)
	failOn(t, c, 6, 1)
	j := c.Job(2)
	require.Equal(t, 1, c.BadNodes(j))
	for _, name := range []string{"n3", "n5", "n6", "n7"} {
		join(t, c, model.Node{Name: name, MapSlots: 2, Incarnation: 1})
	}
	require.Equal(t, []int{0, 0}, []int{c.Nodes[3].Faults, c.BadNodes(j)})
	require.Empty(t, j.Failures)
	checkInvariants(t, c)
	for _, at := range []model.NodeID{3, 5, 6} {
		got, err := c.Heartbeat(0, model.Heartbeat{Node: at, Incarnation: 1})
		require.NoError(t, err)
		require.Len(t, got.Actions, 2)
	}
}
