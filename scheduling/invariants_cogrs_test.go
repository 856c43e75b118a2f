package scheduling

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

// checkPlan makes the lists of a plan anew from its choices, which are the best first.
func checkPlan(t require.TestingT, r *cogrs, j *job, p *plan) {
	require.Len(t, p.best, len(j.w[Reduce].tasks))
	var byNode, byRack []here
	for i, best := range p.best {
		for k, c := range best {
			if c.node == nil {
				require.Equal(t, [choices]choice{}, [choices]choice(append(slices.Clone(best[k:]), make([]choice, k)...)))
				break
			}
			if k == 0 {
				byRack = append(byRack, here{c.node.groups[1], int32(i), c.score})
			} else {
				d := best[k-1]
				require.True(t, d.score > c.score || d.score == c.score && d.node.id < c.node.id, "%v before %v", d, c)
			}
			byNode = append(byNode, here{int32(c.node.id), int32(i), c.score})
		}
	}
	slices.SortFunc(byNode, here.compare)
	slices.SortFunc(byRack, here.compare)
	require.Equal(t, append([]here{}, byNode...), append([]here{}, p.byNode...))
	require.Len(t, p.byRack, len(byRack)) // the racks are those of the time when the plan was made
	if !p.sorted {
		return
	}
	sizes := slices.Clone(p.bySize)
	slices.Sort(sizes)
	for i, k := range sizes {
		require.Equal(t, int32(i), k, "each reduce has its place among the sizes")
	}
}
