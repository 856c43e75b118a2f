package index

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
		s, model := NewTaskSet(size), map[int32]bool{}
		for range 200 {
			i := int32(rapid.IntRange(0, size-1).Draw(t, "i"))
			if model[i] {
				s.Remove(i)
				delete(model, i)
			} else {
				s.Add(i)
				model[i] = true
			}
			var all []int32
			for m := range model {
				all = append(all, m)
			}
			slices.Sort(all)
			require.Equal(t, len(all), s.Len())
			first := int32(-1)
			if len(all) > 0 {
				first = all[0]
			}
			require.Equal(t, first, s.First())
			var walked []int32
			for m := s.Next(-1); m >= 0; m = s.Next(m) {
				walked = append(walked, m)
			}
			require.Equal(t, all, walked)
		}
	})
}

func TestRankListAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List[int]
		model, spots := map[int]Rank{}, make([]Spot, 400)
		n := rapid.IntRange(1, 400).Draw(t, "n")
		for step := range 600 {
			id := rapid.IntRange(0, n-1).Draw(t, "id")
			r := Rank{Class: int16(rapid.IntRange(0, 1).Draw(t, "class")), Value: float64(rapid.IntRange(0, 5).Draw(t, "value")), Tie: int32(id)}
			_, in := model[id]
			stays := !in || rapid.Bool().Draw(t, "stays")
			l.Put(&spots[id], stays, r, id)
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
			sort.Slice(want, func(a, b int) bool { return model[want[a]].Before(model[want[b]]) })
			var got []int
			got = append(got, l.All()...)
			require.Equal(t, want, got)
			require.Equal(t, len(want), l.Len())
		}
	})
}
