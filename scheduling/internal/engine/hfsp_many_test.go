package engine

import (
	"slices"

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
