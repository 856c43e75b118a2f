package scheduling

import (
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTaskSetAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 9000).Draw(t, "size")
		s, model := newTaskSet(size), map[int32]bool{}
		for range 200 {
			i := int32(rapid.IntRange(0, size-1).Draw(t, "i"))
			if model[i] {
				s.remove(i)
				delete(model, i)
			} else {
				s.add(i)
				model[i] = true
			}
			var all []int32
			for m := range model {
				all = append(all, m)
			}
			slices.Sort(all)
			require.Equal(t, len(all), s.n)
			first := int32(-1)
			if len(all) > 0 {
				first = all[0]
			}
			require.Equal(t, first, s.first())
			var walked []int32
			for m := s.next(-1); m >= 0; m = s.next(m) {
				walked = append(walked, m)
			}
			require.Equal(t, all, walked)
		}
	})
}

func TestRankListAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l rankList[int]
		model, spots := map[int]rank{}, make([]spot, 400)
		n := rapid.IntRange(1, 400).Draw(t, "n")
		for step := range 600 {
			id := rapid.IntRange(0, n-1).Draw(t, "id")
			r := rank{class: int32(rapid.IntRange(0, 1).Draw(t, "class")), value: float64(rapid.IntRange(0, 5).Draw(t, "value")), tie: int64(id)}
			_, in := model[id]
			stays := !in || rapid.Bool().Draw(t, "stays")
			l.put(&spots[id], stays, r, id)
			if model[id] = r; !stays {
				delete(model, id)
			}
			if step%20 != 0 {
				continue
			}
			var want []int
			for id := range model {
				want = append(want, id)
			}
			sort.Slice(want, func(a, b int) bool { return model[want[a]].compare(model[want[b]]) < 0 })
			var got []int
			var at cursor
			for v, ok := l.next(&at); ok; v, ok = l.next(&at) {
				got = append(got, v)
			}
			require.Equal(t, want, got)
			require.Equal(t, len(want), l.n)
			if step%100 == 0 { // made anew
				l.clear()
				for _, id := range want {
					l.append(&spots[id], model[id], id)
				}
			}
		}
	})
}

// slowPick looks at every task.
func slowPick(c *Core, j *job, n *node, far Locality) (int32, Locality) {
	best, at := int32(-1), Locality(100)
	unplaced := int32(-1)
	for m := range int32(len(j.w[Map].tasks)) {
		if j.w[Map].tasks[m].state != taskPending {
			continue
		}
		if !j.hasPlace(m) {
			if unplaced < 0 {
				unplaced = m
			}
			continue
		}
		p := j.spec.Places
		l := c.far
		for _, r := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
			if c.nodes[r].groups != nil {
				l = min(l, Locality(distance(c.nodes[r], n)/2))
			} else if r == n.id {
				l = 0
			}
		}
		if l < at {
			best, at = m, l
		}
	}
	if best >= 0 && at <= far {
		return best, at
	}
	return unplaced, AnyPlace
}

// slowShares hands the slots out in small portions, each to the claim with the least share over
// weight among those that want more; claims below their minimum come first, as one has it before
// the water rises.
func slowShares(claims []claim, total float64) []float64 {
	const portion = 1.0 / 256
	shares := make([]float64, len(claims))
	sumMin := 0.0
	for i := range claims {
		shares[i] = min(claims[i].min, claims[i].demand)
		sumMin += shares[i]
	}
	if sumMin >= total {
		for i := range shares {
			shares[i] *= total / max(sumMin, 1e-9)
		}
		return shares
	}
	for left := total - sumMin; left > 1e-9; {
		best := -1
		for i, c := range claims {
			if shares[i] < c.demand-1e-9 && (best < 0 || shares[i]/c.weight < shares[best]/claims[best].weight) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		d := min(portion, left, claims[best].demand-shares[best])
		shares[best] += d
		left -= d
	}
	return shares
}

func TestFairSharesAgainstWaterFilling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		total := float64(rapid.IntRange(0, 40).Draw(t, "total"))
		claims := make([]claim, n)
		sum := 0.0
		for i := range claims {
			claims[i] = claim{
				demand: float64(rapid.IntRange(0, 30).Draw(t, "demand")), min: float64(rapid.IntRange(0, 12).Draw(t, "min")),
				weight: rapid.SampledFrom([]float64{0.25, 0.5, 1, 2, 3, 4}).Draw(t, "weight"),
			}
			sum += claims[i].demand
		}
		want := slowShares(claims, total)
		fairShares(claims, total)
		got := 0.0
		for i, c := range claims {
			require.InDelta(t, want[i], c.share, 0.05)
			require.LessOrEqual(t, c.share, c.demand+1e-9)
			got += c.share
		}
		require.InDelta(t, min(total, sum), got, 1e-4)
	})
}
