package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever the policy and its limits: a job that waits beside a free slot has an event that says
// why, after its last launch.
func TestEveryWaitHasItsReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Preset(rapid.SampledFrom(Presets()).Draw(t, "preset"))
		require.NoError(t, err)
		p.Pools = Allocations{UserMaxJobs: 2, Pools: []PoolConfig{{Name: "a", Max: [2]int{1, 1}}, {Name: "b", MaxJobs: 1}}}
		p.Queues = []QueueConfig{{Name: "a", Max: 60, InitJobs: 1}, {Name: "b", UserLimit: 50}, {Name: "default", InitJobs: 1}}
		y := newPlay(t, p)
		type wait struct {
			job  JobID
			kind TaskKind
		}
		told := map[wait]bool{}
		y.c.cfg.Events = func(e Event) {
			switch e.Type {
			case EventSkipped:
				require.NotEqual(t, NoCause, e.Reason.Cause)
				told[wait{e.JobID, e.Kind}] = true
			case EventLaunched:
				told[wait{e.JobID, e.Kind}] = false
			default:
			}
		}
		for range 30 {
			y.step(4, 1)
			n := rapid.SampledFrom(y.nodes).Draw(t, "node")
			y.beat(n, 3, 1)
			at := y.c.nodes[n]
			for k := range TaskKind(kinds) {
				if !at.open() || at.free(k) <= 0 {
					continue
				}
				for _, j := range y.c.active {
					waits := !j.state.Ended() && j.w[k].waiting() > 0
					require.False(t, waits && !told[wait{j.id, k}], "%v waits beside a free %v slot on %v and nobody knows why", j.id, k, n)
				}
			}
		}
	})
}

// A job that its queue holds back is told of even while no slot is free, once.
func TestHeldJobHasItsReason(t *testing.T) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = []QueueConfig{{Name: "default", InitJobs: 1}}
	held := map[JobID]int{}
	c, err := NewCore(Config{Explain: true, Events: func(e Event) {
		if e.Type == EventSkipped && e.Reason.Cause == CauseNotInitialized {
			held[e.JobID]++
		}
	}}, p)
	require.NoError(t, err)
	n, err := c.Join(0, Node{Name: "n", MapSlots: 1})
	require.NoError(t, err)
	for range 6 {
		_, err = c.Submit(0, JobSpec{Name: "j", User: "u", Maps: 1})
		require.NoError(t, err)
	}
	for at := range time.Duration(5) {
		_, err = c.Heartbeat(at*time.Second, Heartbeat{Node: n})
		require.NoError(t, err)
	}
	require.Equal(t, 1, held[6])
}
