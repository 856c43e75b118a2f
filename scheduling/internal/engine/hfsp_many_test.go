package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/hfsp"
)

// slowMatch is match over all jobs, those that lack nothing or hold nothing too.
func slowMatch(o *hfsp.Order, n *core.NodeState, k core.TaskKind, largest *hfsp.Sized) (winner, loser *hfsp.Sized) {
	all := slices.Clone(o.All[k])
	slices.SortFunc(all, func(a, b *hfsp.Sized) int { return o.RankOf(a).Compare(o.RankOf(b)) })
	free := o.C.Slots[k] - o.C.Running[k]
	spare := make([]int, len(all))
	for i, v := range all {
		spare[i] = o.Spare(v, k)
	}
	for i, small := range all {
		if !o.Needs(small.Job, k) {
			continue
		}
		need := small.Job.Work[k].Waiting() + small.Job.Work[k].Suspended
		own := min(need, max(0, free))
		free -= own
		for need -= own; need > 0; need-- {
			v := len(all) - 1
			for v > i && spare[v] == 0 {
				v--
			}
			if v == i || !o.Smaller(small, largest) {
				break
			}
			if o.Fits(small.Job, n, k) && o.Extreme(all[v].Job, n, k, false, 1) >= 0 {
				return small, all[v]
			}
			spare[v]--
		}
	}
	return nil, nil
}

// A small job that comes to many goes first at once.
func TestSmallJobAmongManyGoesFirst(t *testing.T) {
	c, nodes := newTestCore(t, "hfsp", func(_ *core.Config, p *core.Policy) { p.HFSP.NoTraining = true })
	submit := func(maps int) core.JobID {
		id, err := c.Submit(c.Now, core.JobSpec{Maps: maps, MapTime: 10 * time.Second})
		require.NoError(t, err)
		return id
	}
	for range 130 {
		submit(40)
	}
	require.NoError(t, c.Update(time.Minute))
	small, smallest := submit(4), submit(3)
	require.Equal(t, []core.JobID{smallest, small}, c.View().Order(core.Map)[:2])
	got := beat(t, c, time.Minute, nodes[0])
	require.Equal(t, smallest, got[0].Task.Job)
	require.NoError(t, c.Update(2*time.Minute))
	require.Equal(t, []core.JobID{smallest, small}, c.View().Order(core.Map)[:2])
}
