package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slowMatch is match over all jobs, those that lack nothing or hold nothing too.
func slowMatch(o *hfsp, n *node, k TaskKind, largest *sized) (winner, loser *sized) {
	all := slices.Clone(o.all[k])
	slices.SortFunc(all, func(a, b *sized) int { return o.rankOf(a).Compare(o.rankOf(b)) })
	free := o.c.slots[k] - o.c.running[k]
	spare := make([]int, len(all))
	for i, v := range all {
		spare[i] = o.spare(v, k)
	}
	for i, small := range all {
		if !o.needs(small.job, k) {
			continue
		}
		need := small.job.w[k].waiting() + small.job.w[k].suspended
		own := min(need, max(0, free))
		free -= own
		for need -= own; need > 0; need-- {
			v := len(all) - 1
			for v > i && spare[v] == 0 {
				v--
			}
			if v == i || !o.smaller(small, largest) {
				break
			}
			if o.fits(small.job, n, k) && o.extreme(all[v].job, n, k, false, 1) >= 0 {
				return small, all[v]
			}
			spare[v]--
		}
	}
	return nil, nil
}

// A small job that comes to many goes first at once.
func TestSmallJobAmongManyGoesFirst(t *testing.T) {
	c, nodes := newTestCore(t, "hfsp", func(_ *Config, p *Policy) { p.HFSP.NoTraining = true })
	submit := func(maps int) JobID {
		id, err := c.Submit(c.now, JobSpec{Maps: maps, MapTime: 10 * time.Second})
		require.NoError(t, err)
		return id
	}
	for range 130 {
		submit(40)
	}
	require.NoError(t, c.Update(time.Minute))
	small, smallest := submit(4), submit(3)
	require.Equal(t, []JobID{smallest, small}, c.View().Order(Map)[:2])
	got := beat(t, c, time.Minute, nodes[0])
	require.Equal(t, smallest, got[0].Task.Job)
	require.NoError(t, c.Update(2*time.Minute))
	require.Equal(t, []JobID{smallest, small}, c.View().Order(Map)[:2])
}
