package engine

import (
	"slices"

	"github.com/stretchr/testify/require"
)

// checkCoGRS counts the reduces on each node anew, and looks for each choice of a plan in its lists.
func checkCoGRS(t require.TestingT, r *cogrs) {
	for _, j := range r.c.active {
		if j.state.Ended() {
			continue
		}
		want := map[NodeID]int32{}
		for i := range j.w[Reduce].tasks {
			task := &j.w[Reduce].tasks[i]
			for ai := task.att; ai >= 0; ai = r.c.atts[ai].next {
				want[r.c.atts[ai].node.id]++
			}
			if task.state == taskDone && task.node != NoNode {
				want[task.node]++
			}
		}
		for _, n := range r.c.nodes {
			require.Equal(t, want[n.id], r.on(j, n), "reduces of %v on %s", j.id, n.name)
		}
		if p := r.planOf(j); p.made && !p.flat {
			checkPlan(t, r, j, p)
		}
	}
}

// checkPlan looks for each pending reduce's candidates, which are the best first, in the lists of a
// plan. These may hold more: reduces that were launched meanwhile.
func checkPlan(t require.TestingT, r *cogrs, j *job, p *plan) {
	require.Len(t, p.best, len(j.w[Reduce].tasks))
	require.True(t, slices.IsSortedFunc(p.byNode, here.compare))
	require.True(t, slices.IsSortedFunc(p.byRack, here.compare))
	pending := &j.w[Reduce].pending
	for i := pending.First(); i >= 0; i = pending.Next(i) {
		if j.w[Reduce].tasks[i].tries > 0 {
			continue // it goes anywhere
		}
		best := p.candidates[i]
		for k, c := range best {
			if c.node == nil {
				require.Equal(t, [choices]candidate{}, [choices]candidate(append(slices.Clone(best[k:]), make([]candidate, k)...)))
				break
			}
			if k == 0 {
				require.Len(t, slices.DeleteFunc(slices.Clone(p.byRack), func(h here) bool { return h.reduce != i }), 1)
			} else {
				d := best[k-1]
				require.True(t, d.score > c.score || d.score == c.score && d.node.id < c.node.id, "%v before %v", d, c)
			}
			require.Contains(t, p.byNode, here{int32(c.node.id), i, c.score})
			require.True(t, r.near[0].Has(int32(c.node.id), j.index))
		}
	}
}
