package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// linked is a record whose map emits under many keys.
type linked[K any] struct {
	Key   K
	Links []K
}

var errBadRecord = errors.New("bad record")

// mapKeysIsMap runs a job that emits many keys at once beside one that emits one by one.
func mapKeysIsMap[K cmp.Ordered, V any](t *rapid.T, key func(int) K, value func(n int) V, add func(a, b V) V) {
	records := make([]linked[K], rapid.SampledFrom([]int{0, 1, 30, 300}).Draw(t, "records"))
	from, size := rapid.SampledFrom([]int{0, -50, 1 << 20}).Draw(t, "from"), rapid.SampledFrom([]int{5, 3000, 1 << 29}).Draw(t, "keys")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for i := range records {
		records[i].Key = key(from + i)
		for range []int{0, 1, 2, 40}[rng.IntN(4)] {
			records[i].Links = append(records[i].Links, key(from+rng.IntN(size)))
		}
	}
	bad := rapid.SampledFrom([]int{0, 0, 7}).Draw(t, "each so many are bad")
	job := Job[linked[K], K, V, Pair[K, V]]{Combine: add, Reducers: rapid.IntRange(1, 3).Draw(t, "reduces")}
	if bad > 0 {
		job.Reducers = 1 // as skippingEngine has it
	}
	if add == nil {
		job.Combine = nil
		job.Reduce = func(k K, values iter.Seq[V], emit func(Pair[K, V])) error {
			for v := range values {
				emit(MakePair(k, v))
			}
			return nil
		}
	}
	n := func(r linked[K]) int { return len(r.Links) }
	fails := func(r linked[K]) bool { return bad > 0 && len(r.Links)%bad == 1 }
	one, all := job, job
	one.Map = func(r linked[K], emit func(K, V)) error {
		emit(r.Key, value(0))
		for _, k := range r.Links {
			emit(k, value(n(r)))
		}
		if fails(r) {
			return errBadRecord
		}
		return nil
	}
	all.MapKeys = func(r linked[K], emit func(K, V), emitAll func([]K, V)) error {
		emit(r.Key, value(0))
		mine := slices.Clone(r.Links)
		emitAll(mine, value(n(r)))
		clear(mine) // emitAll has kept nothing of it
		if fails(r) {
			return errBadRecord
		}
		return nil
	}
	task := job
	task.MapTask = func(*Task) (Mapper[linked[K], K, V], error) {
		return Mapper[linked[K], K, V]{MapKeys: all.MapKeys}, nil
	}
	bind := func(j Job[linked[K], K, V, Pair[K, V]]) (*Plan, *Collected[Pair[K, V]], func(int) []Block) {
		out := new(Collected[Pair[K, V]])
		plan, err := j.Bind(Slice(records), out.Output())
		require.NoError(t, err)
		return plan, out, plan.BlocksOf(int64(len(records)/3 + 1))
	}
	local := func(j Job[linked[K], K, V, Pair[K, V]], debug bool) (string, *Counters) {
		plan, out, blocks := bind(j)
		if debug {
			plan.Debug(DebugOptions{Within: 1e-9})
		}
		skips := 0
		if bad > 0 {
			skips = len(records)
		}
		c, err := RunLocal(t.Context(), plan, LocalOptions{Blocks: blocks, MaxSkips: skips})
		require.NoError(t, err)
		got, err := out.Parts()
		require.NoError(t, err)
		return fmt.Sprint(got), c
	}
	limit := rapid.SampledFrom([]int64{0, 1, 1 << 20}).Draw(t, "budget")
	want, counters := local(one, false)
	for _, j := range []Job[linked[K], K, V, Pair[K, V]]{all, task} {
		plan, out, blocks := bind(j)
		var c *Counters
		if bad > 0 {
			c, _ = skippingEngine(t, plan, len(records))
		} else {
			root := NewMemory(limit)
			c = engine(t, plan, 0, blocks, Resources{Budget: root.Sub()})
			require.Zero(t, root.Used())
		}
		got, err := out.Parts()
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(got))
		require.Equal(t, counters.Get(MapOutputRecords), c.Get(MapOutputRecords))
	}
	if len(records) <= 30 { // it is slow
		got, _ := local(all, true)
		require.Equal(t, want, got, "watched")
	}
}

// MapKeys emits what Map does, whatever its keys and values are and become.
func TestMapKeysIsMap(t *testing.T) {
	whole := func(n int) float64 { return float64(n) } // whose sums have no order
	plus := func(a, b float64) float64 { return a + b }
	for name, check := range map[string]func(t *rapid.T){
		"sums of int32":  func(t *rapid.T) { mapKeysIsMap(t, func(i int) int32 { return int32(i) }, whole, plus) },
		"sums of uint64": func(t *rapid.T) { mapKeysIsMap(t, func(i int) uint64 { return uint64(i) }, whole, plus) },
		"counts": func(t *rapid.T) {
			mapKeysIsMap(t, func(i int) int { return i }, func(n int) int { return n }, func(a, b int) int { return a + b })
		},
		"strings": func(t *rapid.T) { mapKeysIsMap(t, func(i int) string { return fmt.Sprint(i) }, whole, plus) },
		"values that may change": func(t *rapid.T) {
			mapKeysIsMap(t, func(i int) int32 { return int32(i) }, func(n int) []int { return []int{n} }, func(a, b []int) []int {
				a[0] += b[0]
				return a
			})
		},
		"no combine": func(t *rapid.T) { mapKeysIsMap(t, func(i int) int32 { return int32(i) }, whole, nil) },
	} {
		t.Run(name, rapid.MakeCheck(check))
	}
}

// A job has one map, and emitAll is for its call alone.
func TestMapKeysMisuse(t *testing.T) {
	job := Job[int, int32, float64, Pair[int32, float64]]{
		Map:     func(int, func(int32, float64)) error { return nil },
		MapKeys: func(int, func(int32, float64), func([]int32, float64)) error { return nil },
		Combine: func(a, b float64) float64 { return a + b },
	}
	in := Slice([]int{1, 2})
	bind := func() (*Plan, error) { return job.Bind(in, new(Collected[Pair[int32, float64]]).Output()) }
	_, err := bind()
	require.ErrorContains(t, err, "both Map and MapKeys are set")
	job.Map = nil
	both := Mapper[int, int32, float64]{Map: func(int, func(int32, float64)) error { return nil }, MapKeys: job.MapKeys}
	job.MapKeys, job.MapTask = nil, func(*Task) (Mapper[int, int32, float64], error) { return both, nil }
	plan, err := bind()
	require.NoError(t, err)
	_, err = RunLocal(t.Context(), plan, LocalOptions{})
	require.ErrorContains(t, err, "either Map or MapKeys")

	var kept func([]int32, float64)
	job.MapTask = nil
	job.MapKeys = func(_ int, _ func(int32, float64), emitAll func([]int32, float64)) error {
		if kept != nil {
			kept([]int32{1}, 1)
		}
		kept = emitAll
		return nil
	}
	plan, err = bind()
	require.NoError(t, err)
	plan.Debug(DebugOptions{})
	_, err = RunLocal(t.Context(), plan, LocalOptions{})
	require.ErrorContains(t, err, "emit was called after the Map that it was given to had returned")
	kept = nil
	plan, err = bind()
	require.NoError(t, err)
	_, err = RunLocal(t.Context(), plan, LocalOptions{})
	require.NoError(t, err)
	require.PanicsWithValue(t, memory.Outside, func() { kept([]int32{1}, 1) })
}
