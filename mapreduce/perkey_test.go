package mapreduce_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
)

// TopPerKey is right if a map's lists exceed its memory, by the number of keys or by long records.
func TestTopPerKeyOfMany(t *testing.T) {
	for long, keys := range map[int]int{1: 20_000, 3000: 900} {
		var list []joinRecord
		for i := range 6_000_000 / (300 + 2*long) {
			at := i * 7919 % 100_003
			list = append(list, joinRecord{fmt.Sprint(at % keys), strings.Repeat("x", long) + fmt.Sprint(at)})
		}
		top := TopPerKey(2, func(r joinRecord) string { return r.Key }, func(a, b joinRecord) int { return cmp.Compare(a.Text, b.Text) })
		got := gather(t, top.Over(Slice(slices.Clone(list))), true, int64(len(list)), 2)
		want := map[string][]string{}
		for _, r := range list {
			want[r.Key] = append(want[r.Key], r.Text)
		}
		for key, texts := range want {
			slices.Sort(texts)
			slices.Reverse(texts)
			want[key] = texts[:min(len(texts), 2)]
		}
		found := map[string][]string{}
		for _, r := range got {
			found[r.Key] = append(found[r.Key], r.Text)
		}
		require.Equal(t, want, found)
	}
}

// QuantilePerKey returns the quantile that plain Go code finds; an invalid q is an error.
func TestQuantilePerKey(t *testing.T) {
	key, size := func(r joinRecord) string { return r.Key }, func(r joinRecord) int { return len(r.Text) }
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(joinRecords(30, "", "a", "b"), 0, 200).Draw(t, "records")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		got := gather(t, QuantilePerKey(q, key, size).Over(Slice(list)), rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 99).Draw(t, "block"), rapid.IntRange(1, 3).Draw(t, "reduces"))
		by := map[string][]int{}
		for _, r := range list {
			by[r.Key] = append(by[r.Key], len(r.Text))
		}
		require.Len(t, got, len(by))
		for _, p := range got {
			sizes := by[p.First]
			slices.Sort(sizes)
			within := func(v int) bool { // at least the fraction q is v or less
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
		err := ran(QuantilePerKey(q, key, size).Bind(Slice([]joinRecord{{"a", "b"}}), unread[Pair[string, int]]()))
		require.ErrorContains(t, err, "want 0 to 1")
	}
}

type (
	votes   int32
	seconds float32
)

// sumsOf runs a job with several maps that adds values under three keys, and returns the sums.
func sumsOf[V any](t *testing.T, values []V) map[int32]V {
	sums := map[int32]V{}
	for _, p := range gather(t, Job[V, int32, V, Pair[int32, V]]{
		MapTask: func(t *Task) (Mapper[V, int32, V], error) {
			return Mapper[V, int32, V]{Map: func(v V, emit func(int32, V)) error {
				emit(int32(t.Offset()%3), v)
				return nil
			}}, nil
		},
		Sum: true, Reducers: 2,
	}.Over(Slice(values)), false, 50, 2) {
		sums[p.First] = p.Second
	}
	return sums
}

func sumsArePlus[V int | int8 | int16 | votes | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr | seconds | float64](t *testing.T) {
	var values []V
	want := map[int32]V{}
	for i := range 300 {
		v := V(i % 100)
		values = append(values, v)
		want[int32(i%3)] += v // wraps around for small types, as the job's sum must
	}
	require.Equal(t, want, sumsOf(t, values), "%T", values)
}

// A job with Sum adds values as + does, for each kind of number.
func TestSumOfEachKind(t *testing.T) {
	for _, plus := range []func(*testing.T){
		sumsArePlus[int], sumsArePlus[int8], sumsArePlus[int16], sumsArePlus[votes], sumsArePlus[int64],
		sumsArePlus[uint], sumsArePlus[uint8], sumsArePlus[uint16], sumsArePlus[uint32], sumsArePlus[uint64], sumsArePlus[uintptr],
		sumsArePlus[seconds], sumsArePlus[float64],
	} {
		plus(t)
	}
	require.Equal(t, map[int32]int64{0: math.MinInt64, 1: -1, 2: 0}, sumsOf(t, []int64{math.MaxInt64, -1, 0, 1}))
}

// Bind rejects Sum with Combine, and Sum of values that are not numbers.
func TestSumMisuse(t *testing.T) {
	var out Collected[Pair[int32, string]]
	words := Job[string, int32, string, Pair[int32, string]]{Map: func(string, func(int32, string)) error { return nil }, Sum: true}
	_, err := words.Bind(Slice([]string{""}), out.Output())
	require.ErrorContains(t, err, "sum needs values of an integer or float kind, not string")
	words.Combine = func(a, _ string) string { return a }
	_, err = words.Bind(Slice([]string{""}), out.Output())
	require.ErrorContains(t, err, "both Combine and Sum are set")
}
