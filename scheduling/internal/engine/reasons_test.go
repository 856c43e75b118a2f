package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Whatever the policy and its limits: a job that waits beside a free slot has an event that says
// why, after its last launch.
func TestEveryWaitHasItsReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset(rapid.SampledFrom(Presets()).Draw(t, "preset"))
		require.NoError(t, err)
		p.Pools = core.Allocations{UserMaxJobs: 2, Pools: []core.PoolConfig{{Name: "a", Max: [2]int{1, 1}}, {Name: "b", MaxJobs: 1}}}
		p.Queues = []core.QueueConfig{{Name: "a", Max: 60, InitJobs: 1}, {Name: "b", UserLimit: 50}, {Name: "default", InitJobs: 1}}
		y := newPlay(t, p)
		type wait struct {
			job  core.JobID
			kind core.TaskKind
		}
		told := map[wait]bool{}
		y.c.Config.Events = func(e core.Event) {
			switch e.Type {
			case core.EventSkipped:
				require.NotEqual(t, core.NoCause, e.Reason.Cause)
				told[wait{e.JobID, e.Kind}] = true
			case core.EventLaunched:
				told[wait{e.JobID, e.Kind}] = false
			default:
			}
		}
		for range 30 {
			y.step(4, 1)
			n := rapid.SampledFrom(y.nodes).Draw(t, "node")
			y.beat(n, 3, 1)
			at := y.c.Nodes[n]
			for k := range core.TaskKind(core.Kinds) {
				if !at.Open() || at.Free(k) <= 0 {
					continue
				}
				for _, j := range y.c.Active {
					waits := !j.State.Ended() && j.Work[k].Waiting() > 0
					require.False(t, waits && !told[wait{j.ID, k}], "%v waits beside a free %v slot on %v and nobody knows why", j.ID, k, n)
				}
			}
		}
	})
}

// A job that its queue holds back is told of even while no slot is free, once.
func TestHeldJobHasItsReason(t *testing.T) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = []core.QueueConfig{{Name: "default", InitJobs: 1}}
	held := map[core.JobID]int{}
	c, err := NewCore(core.Config{Explain: true, Events: func(e core.Event) {
		if e.Type == core.EventSkipped && e.Reason.Cause == core.CauseNotInitialized {
			held[e.JobID]++
		}
	}}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "n", MapSlots: 1})
	require.NoError(t, err)
	for range 6 {
		_, err = c.Submit(0, core.JobSpec{Name: "j", User: "u", Maps: 1})
		require.NoError(t, err)
	}
	for at := range time.Duration(5) {
		_, err = c.Heartbeat(at*time.Second, core.Heartbeat{Node: n})
		require.NoError(t, err)
	}
	require.Equal(t, 1, held[6])
}
