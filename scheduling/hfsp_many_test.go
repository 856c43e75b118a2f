package scheduling

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/virtual"
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

// With many jobs a projection comes once in as many changes as there are jobs, or after a time that
// grows with them.
func TestManyJobsShareProjections(t *testing.T) {
	const jobs = 400
	s := setup{nodes: 50, racks: 5, slots: [2]int{2, 2}, jobs: jobs, pools: 1, maps: 20, reduces: 4}
	c := s.load(t, benchPolicy(t, "hfsp", nil))
	o := c.order.(*hfsp)
	projections, changes, last := 0, 0, time.Duration(0)
	running := make([][]Status, s.nodes)
	for now := time.Duration(0); len(c.active)-c.ended > virtual.Exact; now += 50 * time.Millisecond {
		n := NodeID(now / (50 * time.Millisecond) % 50)
		many := o.virtual[Map].Len()
		before := o.last[Map]
		got, err := c.Heartbeat(now, Heartbeat{Node: n, Statuses: running[n]})
		require.NoError(t, err)
		changes += len(got.Actions) + len(running[n])
		running[n] = running[n][:0]
		for _, a := range got.Actions {
			running[n] = append(running[n], Status{Attempt: a.Attempt, State: StateSucceeded})
		}
		if o.last[Map] != before {
			projections++
			rare := projections == 1 || changes >= many*9/10 || now-last >= virtual.Patience*time.Duration(many/virtual.Exact) // the first is for the submissions
			require.True(t, rare, "after %d changes and %v", changes, now-last)
			changes, last = 0, now
		}
	}
	require.Positive(t, projections)
}

// A job that comes to many gets a place by its size at once, and the exact one with the next
// projection.
func TestSmallJobAmongManyGoesFirst(t *testing.T) {
	c, nodes := newTestCore(t, "hfsp", func(_ *Config, p *Policy) { p.HFSP.NoTraining = true })
	submit := func(maps int) JobID {
		id, err := c.Submit(c.now, JobSpec{Maps: maps, MapTime: 10 * time.Second})
		require.NoError(t, err)
		return id
	}
	for range 2 * virtual.Exact {
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
