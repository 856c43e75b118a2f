package mapreduce

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// nth returns element k of the sorted list, for any list.
func TestNthIsSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{0, 1, 3, 1000}).Draw(t, "most")
		list := rapid.SliceOfN(rapid.IntRange(-most, most), 1, 300).Draw(t, "list")
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(list)
		}
		want := slices.Sorted(slices.Values(list))
		k := rapid.IntRange(0, len(list)-1).Draw(t, "k")
		require.Equal(t, want[k], nth(list, k))
		require.Equal(t, want, slices.Sorted(slices.Values(list)), "nothing is lost")
	})
	inf, nan := math.Inf(1), math.NaN()
	for range 20 {
		require.Equal(t, 2.0, nth(slices.Repeat([]float64{inf, nan, 2, -inf, nan}, 10), 35))
		require.True(t, math.IsNaN(nth(slices.Repeat([]float64{inf, nan, 2, -inf, nan}, 10), 19)))
	}
}

// rank meets its definition: the first index up to which a fraction q of n has come.
func TestRank(t *testing.T) {
	for _, c := range []struct {
		q    float64
		n    int
		want int
	}{{0, 5, 0}, {1, 5, 4}, {0.5, 5, 2}, {0.5, 4, 1}, {0.95, 100, 94}, {0.95, 20, 18}, {0.951, 20, 19}, {0.01, 1, 0}, {0.2, 5, 0}, {0.21, 5, 1}} {
		require.Equal(t, c.want, rank(c.q, c.n), "%+v", c)
	}
}

// The job equals plain Go code over the whole list; an invalid q is an error.
func TestQuantilePerKey(t *testing.T) {
	key, size := func(r joinRecord) string { return r.Key }, func(r joinRecord) int { return len(r.Text) }
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) joinRecord {
			return joinRecord{rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key"), rapid.StringN(0, 30, -1).Draw(t, "text")}
		}), 0, 200).Draw(t, "records")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		got := gather(t, func(out Output[Pair[string, int]]) (*Plan, error) {
			return QuantilePerKey(q, key, size).Bind(Slice(list), out)
		}, rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 99).Draw(t, "block"), rapid.IntRange(1, 3).Draw(t, "reduces"))
		by := map[string][]int{}
		for _, r := range list {
			by[r.Key] = append(by[r.Key], len(r.Text))
		}
		require.Len(t, got, len(by))
		for _, p := range got {
			sizes := by[p.First]
			slices.Sort(sizes)
			within := func(v int) bool { // that at least a part q of all do not exceed
				n, _ := slices.BinarySearch(sizes, v+1)
				return float64(n) >= q*float64(len(sizes))
			}
			require.Contains(t, sizes, p.Second)
			require.True(t, within(p.Second))
			if less := sizes[0]; p.Second > less {
				below := sizes[slices.Index(sizes, p.Second)-1]
				require.False(t, within(below), "%d is less, and is enough", below)
			}
		}
	})
	for _, q := range []float64{-0.1, 1.5, math.NaN()} {
		plan, err := QuantilePerKey(q, key, size).Bind(Slice([]joinRecord{{"a", "b"}}), Text[Pair[string, int]](Writer("-", io.Discard)))
		require.NoError(t, err)
		_, err = RunLocal(t.Context(), plan, LocalOptions{})
		require.ErrorContains(t, err, "want 0 to 1")
	}
}
