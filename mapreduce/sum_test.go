package mapreduce

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

type (
	votes   int32
	seconds float32
)

// sumsOf runs a job that adds up values under a few keys, on an engine with several maps.
func sumsOf[V any](t *testing.T, values []V) map[int32]V {
	var out Collected[Pair[int32, V]]
	plan := must(Job[V, int32, V, Pair[int32, V]]{
		MapTask: func(t *Task) (Mapper[V, int32, V], error) {
			return Mapper[V, int32, V]{Map: func(v V, emit func(int32, V)) error {
				emit(int32(t.Offset()%3), v)
				return nil
			}}, nil
		},
		Sum: true, Reducers: 2,
	}.Bind(Slice(values), out.Output()))(t)
	engine(t, plan, 7, nil, cluster.Resources{})
	list := must(out.Records())(t)
	sums := map[int32]V{}
	for _, p := range list {
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
		want[int32(i%3)] += v // wraps around where V is small
	}
	require.Equal(t, want, sumsOf(t, values), "%T", values)
}

// Sum is + for each kind of number, in a table or by a function.
func TestSumOfEachKind(t *testing.T) {
	sumsArePlus[int](t)
	sumsArePlus[int8](t)
	sumsArePlus[int16](t)
	sumsArePlus[votes](t)
	sumsArePlus[int64](t)
	sumsArePlus[uint](t)
	sumsArePlus[uint8](t)
	sumsArePlus[uint16](t)
	sumsArePlus[uint32](t)
	sumsArePlus[uint64](t)
	sumsArePlus[uintptr](t)
	sumsArePlus[seconds](t)
	sumsArePlus[float64](t)
	require.Equal(t, map[int32]int64{0: math.MinInt64, 1: -1, 2: 0}, sumsOf(t, []int64{math.MaxInt64, -1, 0, 1}))
}

// A job has one way to combine, and Sum accepts only numbers.
func TestSumMisuse(t *testing.T) {
	var out Collected[Pair[int32, string]]
	words := Job[string, int32, string, Pair[int32, string]]{Map: func(string, func(int32, string)) error { return nil }, Sum: true}
	_, err := words.Bind(Slice([]string{""}), out.Output())
	require.ErrorContains(t, err, "sum needs values of an integer or float kind, not string")
	words.Combine = func(a, _ string) string { return a }
	_, err = words.Bind(Slice([]string{""}), out.Output())
	require.ErrorContains(t, err, "both Combine and Sum are set")
}
