package engine

import (
	"slices"
	"sort"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/hfsp"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// slowMatch returns the same as Order.Match, by a search of all jobs without the lists.
func slowMatch(o *hfsp.Order, n *core.NodeState, k model.TaskKind, largest *hfsp.Sized) (winner, loser *hfsp.Sized) {
	all := slices.Clone(o.All[k])
	sort.Slice(all, func(a, b int) bool { return o.RankOf(all[a]).Before(o.RankOf(all[b])) })
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

// checkHFSP fails unless the lists have the right ranks, and the virtual cluster has the work of
// the jobs.
func checkHFSP(t require.TestingT, c *core.Core, o *hfsp.Order) {
	for k := range model.TaskKind(model.Kinds) {
		listed := 0
		for _, j := range allJobs(c) {
			if j.State.Ended() || o.Sized(j, k) == nil {
				continue
			}
			w, spot := &j.Work[k], o.Sized(j, k).Listed
			if spot.In {
				listed++
				if !o.Drifted[k] && !o.Stale[k] {
					require.Equal(t, o.Rank(j, k), spot.Rank)
				}
			}
			held := o.Pol.Xi < 0 && o.Training(j, k) && !o.Sampling(j, k) && w.Suspended == 0
			require.Equal(t, j.Runnable && w.Open && !held && w.Waiting()+w.Suspended+len(w.Slow) > 0, spot.In)
		}
		require.Equal(t, listed, o.Lists[k].Len())
		if _, pure := c.Placement[model.Reduce].(core.Anywhere); !o.Drifted[k] && !o.Stale[k] && (k == model.Map || pure) {
			for _, n := range c.Nodes {
				if largest := o.LargestOn(n, k); largest != nil {
					wantWinner, wantLoser := slowMatch(o, n, k, largest)
					winner, loser := o.Match(n, k, largest)
					require.Equal(t, [2]*hfsp.Sized{wantWinner, wantLoser}, [2]*hfsp.Sized{winner, loser}, "match on %s", n.Name)
				}
			}
		}
		slots := 0
		for _, v := range o.All[k] {
			require.LessOrEqual(t, v.V.Slots, max(0, v.V.Tasks))
			slots += v.V.Slots
		}
		require.LessOrEqual(t, slots, c.Slots[k])
	}
}
