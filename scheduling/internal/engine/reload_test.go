package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// A reload each second must not keep a starved pool from its share for ever.
func TestReloadsDoNotPutPreemptionOff(t *testing.T) {
	c, nodes := newTestCore(t, "hfs", func(_ *core.Config, p *core.Policy) {
		p.Pools.Pools = []core.PoolConfig{{Name: "prod", Min: [2]int{2, 0}, MinTimeout: 10 * time.Second}}
		p.Preemption = core.PreemptionPolicy{Mode: core.PreemptOn, Interval: 5 * time.Second}
	})
	_, err := c.Submit(0, core.JobSpec{Pool: "adhoc", Maps: 100})
	require.NoError(t, err)
	for _, n := range nodes {
		require.Len(t, beat(t, c, 0, n), 2)
	}
	_, err = c.Submit(0, core.JobSpec{Pool: "prod", Maps: 10})
	require.NoError(t, err)
	killed := 0
	c.Config.Events = func(e core.Event) {
		if e.Type == core.EventKilled {
			killed++
		}
	}
	for now := time.Second; now <= 20*time.Second; now += time.Second {
		require.NoError(t, c.Reconfigure(now, c.View().Policy()))
		require.NoError(t, c.Update(now))
		if now <= 10*time.Second {
			require.Zero(t, killed, "at %v", now)
		}
	}
	require.NotZero(t, killed)
}

func TestQueueAtItsMaximumByRounding(t *testing.T) {
	p, err := Preset("capacity")
	require.NoError(t, err)
	p.Queues = []core.QueueConfig{{Name: "a", Capacity: 33.3}, {Name: "b", Capacity: 33.3}, {Name: "c", Max: 33.4}}
	_, err = NewCore(core.Config{}, p)
	require.NoError(t, err, "100 - 33.3 - 33.3 is a little more than 33.4 in floating point")
	for i := range 3 {
		p.Queues[i] = core.QueueConfig{Name: fmt.Sprint(i), Capacity: 33.4}
	}
	_, err = NewCore(core.Config{}, p)
	require.ErrorIs(t, err, core.ErrBadConfig)
}
