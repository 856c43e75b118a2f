// Package coretest has helpers for tests of the Core and of its policies: short forms of common
// calls, each of which must succeed.
package coretest

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/speculate"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// New returns a Core with policy p and the given nodes, joined at time 0. built has p's order and
// placements.
func New(t require.TestingT, built *core.Policies, cfg core.Config, p model.Policy, nodes ...model.Node) *core.Core {
	parts := *built
	parts.Speculate = speculate.New
	c, err := core.New(&parts, cfg, p)
	require.NoError(t, err)
	for _, n := range nodes {
		_, err := c.Join(0, n)
		require.NoError(t, err)
	}
	return c
}

// Racks returns nodes n0, n1 and so on with the given map and reduce slots; sizes gives the number
// of nodes in rack r0, r1 and so on.
func Racks(slots [2]int, sizes ...int) (nodes []model.Node) {
	for r, size := range sizes {
		for range size {
			nodes = append(nodes, model.Node{Name: fmt.Sprint("n", len(nodes)), Rack: fmt.Sprint("r", r), MapSlots: slots[0], ReduceSlots: slots[1]})
		}
	}
	return nodes
}

// Submit submits a job at the Core's time.
func Submit(t require.TestingT, c *core.Core, s model.JobSpec) model.JobID {
	return SubmitAt(t, c, c.Now, s)
}

// SubmitAt submits a job.
func SubmitAt(t require.TestingT, c *core.Core, at time.Duration, s model.JobSpec) model.JobID {
	id, err := c.Submit(at, s)
	require.NoError(t, err)
	return id
}

// Beat sends a heartbeat of node n and returns the attempts that the answer launches.
func Beat(t require.TestingT, c *core.Core, now time.Duration, n model.NodeID, statuses ...model.Status) (launched []model.AttemptID) {
	got, err := c.Heartbeat(now, model.Heartbeat{Node: n, Statuses: statuses})
	require.NoError(t, err)
	for _, a := range got.Actions {
		if a.Verb == model.Launch {
			launched = append(launched, a.Attempt)
		}
	}
	return launched
}

// Report sends a heartbeat that asks for no work.
func Report(t require.TestingT, c *core.Core, now time.Duration, n model.NodeID, statuses ...model.Status) {
	_, err := c.Heartbeat(now, model.Heartbeat{Node: n, NoWork: true, Statuses: statuses})
	require.NoError(t, err)
}

// On returns the Places of a job whose maps all have their input on the same nodes.
func On(maps int, nodes ...model.NodeID) model.Places {
	p := model.Places{Offsets: []int32{0}}
	for range maps {
		p.Nodes = append(p.Nodes, nodes...)
		p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
	}
	return p
}

// Launches sends heartbeats of n until one launches nothing, and returns the number of launched
// tasks.
func Launches(t require.TestingT, c *core.Core, n model.NodeID) (count int) {
	for {
		launched := Beat(t, c, c.Now+1, n)
		if count += len(launched); len(launched) == 0 {
			return count
		}
	}
}

// Join makes a node join at the Core's time.
func Join(t require.TestingT, c *core.Core, n model.Node) model.NodeID {
	id, err := c.Join(c.Now, n)
	require.NoError(t, err)
	return id
}

// Job returns the view of a job.
func Job(t require.TestingT, c *core.Core, id model.JobID) view.Job {
	v, err := c.View().Job(id)
	require.NoError(t, err)
	return v
}

// Events records a Core's events. Each call of `since` returns the events since the last call.
func Events(cfg *core.Config) (since func() []event.Event) {
	var events []event.Event
	cfg.Events = func(e event.Event) { events = append(events, e) }
	return func() []event.Event {
		got := events
		events = nil
		return got
	}
}
