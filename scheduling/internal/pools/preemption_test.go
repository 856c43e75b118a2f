package pools

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Preempt needs no Update before it: it uses the shares and claims of its own time.
func TestPreemptNow(t *testing.T) {
	for mode, want := range map[model.PreemptionMode]int{model.PreemptOff: 0, model.PreemptLog: 0, model.PreemptOn: 2} {
		c, n := pooled(t, model.Node{MapSlots: 4}, func(_ *core.Config, p *model.Policy) {
			p.Pools.Pools = []model.PoolConfig{{Name: "b", Min: [2]int{2, 0}, MinTimeout: 10 * time.Second}}
			p.Preemption = model.PreemptionPolicy{Mode: mode, Interval: -1}
		})
		coretest.Submit(t, c, model.JobSpec{Pool: "a", Maps: 9})
		require.Len(t, coretest.Beat(t, c, 0, n), 4)
		coretest.Submit(t, c, model.JobSpec{Pool: "b", Maps: 9, Places: coretest.On(9, c.NodeID("elsewhere"))})
		killed, err := c.Preempt(10 * time.Second)
		require.NoError(t, err)
		require.Empty(t, killed, "it has waited for its share, not longer")
		killed, err = c.Preempt(10*time.Second + 1)
		require.NoError(t, err)
		require.Len(t, killed, want)
		require.Equal(t, mode == model.PreemptOn, c.Order.Urgent(c.Job(2), model.Map))
		require.False(t, c.Order.Urgent(c.Job(1), model.Map))
		if mode == model.PreemptOn {
			got := coretest.Beat(t, c, 10*time.Second+1, n)
			require.Len(t, got, 2)
			require.Equal(t, model.JobID(2), got[1].Task.Job, "it takes what it gets, however far from its data")
			killed, err = c.Preempt(11 * time.Second)
			require.NoError(t, err)
			require.Empty(t, killed, "it has its share")
			require.False(t, c.Order.Urgent(c.Job(2), model.Map))
		}
	}
}

// Even if the policy is reloaded each second, a starved pool gets its minimum share by preemption.
func TestReloadsDoNotPutPreemptionOff(t *testing.T) {
	c, since := poolsCore(t, func(_ *core.Config, p *model.Policy) {
		p.Pools.Pools = []model.PoolConfig{{Name: "prod", Min: [2]int{2, 0}, MinTimeout: 10 * time.Second}}
		p.Preemption = model.PreemptionPolicy{Mode: model.PreemptOn, Interval: 5 * time.Second}
	}, coretest.Racks([2]int{2, 1}, 2, 2)...)
	coretest.Submit(t, c, model.JobSpec{Pool: "adhoc", Maps: 100})
	for n := range model.NodeID(4) {
		require.Len(t, coretest.Beat(t, c, 0, n), 2)
	}
	coretest.Submit(t, c, model.JobSpec{Pool: "prod", Maps: 10})
	killed := 0
	since()
	for now := time.Second; now <= 20*time.Second; now += time.Second {
		require.NoError(t, c.Reconfigure(now, c.View().Policy()))
		require.NoError(t, c.Update(now))
		for _, e := range since() {
			if e.Type == event.Killed {
				killed++
			}
		}
		if now <= 10*time.Second {
			require.Zero(t, killed, "at %v", now)
		}
	}
	require.NotZero(t, killed)
}

// A preemption round leaves each pool at least its share, rounded down to whole slots.
func TestPreemptionSparesShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _ := poolsCore(t, func(_ *core.Config, p *model.Policy) {
			p.Pools.FairTimeout = 5 * time.Second
			p.Preemption = model.PreemptionPolicy{Mode: model.PreemptOn, Interval: -1}
			for i := range 4 {
				p.Pools.Pools = append(p.Pools.Pools, model.PoolConfig{
					Name: fmt.Sprint("p", i), Weight: rapid.SampledFrom([]float64{1, 2, 3}).Draw(t, "weight"),
					Min: [2]int{rapid.IntRange(0, 3).Draw(t, "min"), 0}, MinTimeout: time.Second,
				})
			}
		}, coretest.Racks([2]int{2, 0}, 5)...)
		for i := range rapid.IntRange(1, 3).Draw(t, "first") {
			coretest.Submit(t, c, model.JobSpec{Pool: fmt.Sprint("p", i), Maps: rapid.IntRange(1, 12).Draw(t, "maps")})
		}
		for n := range model.NodeID(5) {
			coretest.Beat(t, c, 0, n)
		}
		coretest.SubmitAt(t, c, time.Second, model.JobSpec{Pool: "p3", Maps: rapid.IntRange(1, 12).Draw(t, "late")})
		require.NoError(t, c.Update(time.Second))
		require.NoError(t, c.Update(20*time.Second))
		before := c.View().Pools()
		_, err := c.Preempt(20 * time.Second)
		require.NoError(t, err)
		for i, after := range c.View().Pools() {
			if after.Kinds[model.Map].Running < before[i].Kinds[model.Map].Running {
				require.GreaterOrEqual(t, float64(after.Kinds[model.Map].Running), float64(int(before[i].Kinds[model.Map].Share)), after.Name)
			}
		}
	})
}

// Preemption in log mode emits an event for each attempt that it would kill, and kills none. When
// it is on, it kills the same attempts.
func TestVictimsOfTheDryRun(t *testing.T) {
	victims := map[model.PreemptionMode][]model.AttemptID{}
	for _, mode := range []model.PreemptionMode{model.PreemptLog, model.PreemptOn} {
		c, since := poolsCore(t, func(_ *core.Config, p *model.Policy) {
			p.Pools.Pools = []model.PoolConfig{{Name: "a", Min: [2]int{2, 0}, MinTimeout: 1}}
			p.Preemption = model.PreemptionPolicy{Mode: mode, Interval: -1}
		})
		n := coretest.Join(t, c, model.Node{Name: "n", MapSlots: 4})
		coretest.Submit(t, c, model.JobSpec{Pool: "b", Maps: 9})
		coretest.Beat(t, c, 0, n)
		coretest.Submit(t, c, model.JobSpec{Pool: "a", Maps: 2})
		require.NoError(t, c.Update(0))
		since()
		killed, err := c.Preempt(time.Second)
		require.NoError(t, err)
		for _, e := range since() {
			if e.Type == event.Victim || e.Type == event.Killed {
				require.Equal(t, mode == model.PreemptOn, e.Type == event.Killed)
				victims[mode] = append(victims[mode], e.Attempt)
			}
		}
		require.Len(t, killed, map[model.PreemptionMode]int{model.PreemptLog: 0, model.PreemptOn: 2}[mode])
	}
	require.Len(t, victims[model.PreemptLog], 2)
	require.Equal(t, victims[model.PreemptOn], victims[model.PreemptLog])
}
