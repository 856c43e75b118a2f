package engine

import (
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// checkCoGRS fails unless the counts of reduces by node are right, and each job's plan passes
// checkPlan.
func checkCoGRS(t require.TestingT, r *cogrs.Placement) {
	for _, j := range r.C.Active {
		if j.State.Ended() {
			continue
		}
		want := map[model.NodeID]int32{}
		for i := range j.Work[model.Reduce].Tasks {
			task := &j.Work[model.Reduce].Tasks[i]
			for ai := task.Att; ai >= 0; ai = r.C.Attempts[ai].Next {
				want[r.C.Attempts[ai].Node.ID]++
			}
			if task.State == core.TaskDone && task.Node != model.NoNode {
				want[task.Node]++
			}
		}
		for _, n := range r.C.Nodes {
			require.Equal(t, want[n.ID], r.On(j, n), "reduces of %v on %s", j.ID, n.Name)
		}
		if p := r.PlanOf(j); p.Made && !p.Flat {
			checkPlan(t, r, j, p)
		}
	}
}

// checkPlan fails unless p lists the candidates of each pending reduce, best first. p may also list
// reduces that have been launched since.
func checkPlan(t require.TestingT, r *cogrs.Placement, j *core.Job, p *cogrs.Plan) {
	require.Len(t, p.Best, len(j.Work[model.Reduce].Tasks))
	require.True(t, slices.IsSortedFunc(p.ByNode, cogrs.Here.Compare))
	require.True(t, slices.IsSortedFunc(p.ByRack, cogrs.Here.Compare))
	pending := &j.Work[model.Reduce].Pending
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if j.Work[model.Reduce].Tasks[i].Tries > 0 {
			continue // it goes anywhere
		}
		best := p.Candidates[i]
		for k, c := range best {
			if c.Node == nil {
				require.Equal(t, [cogrs.Choices]cogrs.Candidate{}, [cogrs.Choices]cogrs.Candidate(append(slices.Clone(best[k:]), make([]cogrs.Candidate, k)...)))
				break
			}
			if k == 0 {
				require.Len(t, slices.DeleteFunc(slices.Clone(p.ByRack), func(h cogrs.Here) bool { return h.Reduce != i }), 1)
			} else {
				d := best[k-1]
				require.True(t, d.Score > c.Score || d.Score == c.Score && d.Node.ID < c.Node.ID, "%v before %v", d, c)
			}
			require.Contains(t, p.ByNode, cogrs.Here{Group: int32(c.Node.ID), Reduce: i, Score: c.Score})
			require.True(t, r.Near[0].Has(int32(c.Node.ID), j.Index))
		}
	}
}
