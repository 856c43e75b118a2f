package combine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// The weight of a value is about its size on the heap, or twice the length of its own encoding.
func TestWeights(t *testing.T) {
	weigh[string](t, "hello", 5)
	weigh(t, []int32{1, 2, 3}, 12)
	weigh(t, []string{"ab", "cde"}, 2*16+5)
	weigh(t, [][]byte{{1}, {2, 3}}, 2*24+3)
	weigh(t, [2]string{"a", "bcd"}, 4)
	weigh(t, make([][4]int64, 1, 2), 2*4*8)
	weigh(t, make([]string, 1, 5), 5*16)
	weigh(t, [][][][][][][]string{{{{{{{"abc"}}}}}}}, 7*24-8+3)
	weigh(t, struct {
		a int64
		b struct{ c, d string }
		e wordSet
	}{1, struct{ c, d string }{"ab", "c"}, wordSet{"x": 1}}, 3+2*int64(len(`{"x":1}`)))
	require.Nil(t, weigher(reflect.TypeFor[struct{ A, B int }]()))
}

// Combine can change a value in place, so that its words stay equal, if it has a map, a pointer, or
// a slice of these. It cannot if the value has only strings and numbers.
func TestWhatGrowsInPlace(t *testing.T) {
	type plain struct {
		A int
		B string
		C []string
		D []int
	}
	type deep struct {
		plain
		M map[string]int
	}
	for _, v := range []any{"", []byte{}, []string{}, plain{}, struct{ plain }{}, 1} {
		require.False(t, mutable(reflect.TypeOf(v)), "%T", v)
	}
	for _, v := range []any{map[string]int{}, new(int), [][]byte{}, []map[int]int{}, deep{}, struct{ X deep }{}} {
		require.True(t, mutable(reflect.TypeOf(v)), "%T", v)
	}
}

// A table charges twice the memory of its values, as a heap is collected when it has doubled. The
// charge is at least that, and exceeds it by at most an eighth or 64 KiB.
func TestHeldIsChargedInSteps(t *testing.T) {
	budget := memory.NewBudget(64 << 20).Sub()
	defer budget.Close()
	cfg := withJSON(config[string]{Options: Options{Partitions: 1, Resources: resources(t, budget)}, combine: longer})
	table := newTable(cfg)
	defer table.Close()
	h, value, held := &table.acc.heap, strings.Repeat("x", 500), int64(0)
	for i := range 8 * batchSize * 10 {
		table.emit(fmt.Appendf(nil, "%d", i), strings.Clone(value))
		if (i+1)%batchSize != 0 {
			continue
		}
		held = int64(i+1) * 2 * (16 + 500)
		require.Equal(t, held, h.estimate)
		require.GreaterOrEqual(t, h.charged, held)
		require.LessOrEqual(t, h.charged, held+max(64<<10, held/8))
		require.LessOrEqual(t, h.charged, budget.Used())
	}
	require.Greater(t, held, int64(1<<20))
	require.Empty(t, table.acc.spills)
}

// A table keeps half a MiB of values in memory even if the budget is smaller, so it rarely spills.
func TestStarvedValuesSpillSeldom(t *testing.T) {
	budget := memory.NewBudget(1).Sub()
	defer budget.Close()
	cfg := withJSON(config[string]{Options: Options{Partitions: 1, Resources: resources(t, budget)}, combine: longer})
	table := newTable(cfg)
	defer table.Close()
	value, emits := strings.Repeat("x", 500), 0
	for ; len(table.acc.spills) == 0; emits++ {
		table.emit(fmt.Appendf(nil, "%d", emits), strings.Clone(value))
	}
	held := int64(emits) * 2 * (16 + 500)
	require.Greater(t, held, int64(minHeap))
	require.Less(t, held, int64(minHeap+3*heapStep))
	require.NoError(t, table.Err())
}

// A table with an expected number of keys does not grow before it has them, and is at most four
// times as large. If the budget refuses, it is smaller.
func TestTableOfExpectedKeys(t *testing.T) {
	for _, keys := range []int{0, 1, firstCells / 2, firstCells/2 + 1, 40_000, 1 << 17} {
		table := newTable(config[int64]{Options: Options{Partitions: 1, Sum: true, Distinct: keys}})
		size := table.acc.hash.size
		require.GreaterOrEqual(t, size, 2*keys)
		require.LessOrEqual(t, size, max(firstCells, 4*keys))
		for i := range keys {
			table.emit(fmt.Appendf(nil, "%d", i), 1)
		}
		table.acc.flush()
		require.Equal(t, size, table.acc.hash.size)
		table.Close()
	}
	table := newTable(config[int64]{Options: Options{Partitions: 1, Sum: true, Distinct: 1 << 17, Resources: segment.Resources{Budget: memory.NewBudget(1 << 20).Sub()}}})
	require.Less(t, table.acc.hash.size, 1<<17)
	require.GreaterOrEqual(t, table.acc.hash.size, firstCells)
	table.Close()
}

// wordSet is a type of values with its own encoding.
type wordSet map[string]int

func (s wordSet) MarshalBinary() ([]byte, error) { return json.Marshal(map[string]int(s)) }

func (s *wordSet) UnmarshalBinary(b []byte) error { return json.Unmarshal(b, (*map[string]int)(s)) }

func withJSON[V any](cfg config[V]) config[V] {
	cfg.append = func(dst []byte, v V) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return append(dst, b...)
	}
	cfg.decode = func(b []byte) (v V, err error) { return v, json.Unmarshal(b, &v) }
	return cfg
}

func joinSets(a, b wordSet) wordSet {
	both := make(wordSet, len(a)+len(b))
	for _, m := range []wordSet{a, b} {
		for k, n := range m {
			both[k] += n
		}
	}
	return both
}

// The memory of values on the heap counts against the budget: a table can receive many times its
// budget, and the heap stays small.
func TestValuesOnTheHeapKeepTheBudget(t *testing.T) {
	holdsBudget(t, "string", config[string]{combine: func(a, b string) string { return a + "," + b }},
		func(s string) string { return s })
	holdsBudget(t, "strings", config[[]string]{combine: func(a, b []string) []string { return append(slices.Clip(a), b...) }},
		func(s string) []string { return []string{s} })
	holdsBudget(t, "bytes", config[[]byte]{combine: func(a, b []byte) []byte { return bytes.Join([][]byte{a, b}, nil) }},
		func(s string) []byte { return []byte(s) })
	one := func(s string) wordSet { return wordSet{s: 1} }
	holdsBudget(t, "set", config[wordSet]{combine: joinSets}, one)
	holdsBudget(t, "changed in place", config[wordSet]{combine: func(a, b wordSet) wordSet {
		for k, n := range b {
			a[k] += n
		}
		return a
	}}, one)
}

// holdsBudget checks the heap while 6 MiB of values for 500 keys go to a table with 2 MiB of
// budget.
func holdsBudget[V any](t *testing.T, name string, cfg config[V], value func(s string) V) {
	const limit, total = 2 << 20, 6 << 20
	root := memory.NewBudget(limit)
	budget := root.Sub()
	defer budget.Close()
	cfg = withJSON(cfg)
	cfg.Partitions, cfg.Resources = 3, resources(t, budget)
	table := newTable(cfg)
	defer table.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	key := make([]byte, 4)
	before, most := heapInUse(), uint64(0)
	for emitted, i := 0, 0; emitted < total; i++ {
		s := fmt.Sprintf("value %0*d", 40+rng.IntN(400), i)
		emitted += len(s)
		binary.LittleEndian.PutUint32(key, uint32(rng.IntN(500)))
		table.emit(key, value(s))
		if i%4_000 == 0 {
			most = max(most, heapInUse())
		}
	}
	require.NoError(t, table.Err())
	require.Less(t, most, before+limit, "%s: of a budget of %d bytes", name, limit)
	require.Greater(t, len(table.acc.spills), 2)
	segments, _, err := table.Finish()
	require.NoError(t, err)
	require.LessOrEqual(t, root.Used(), int64(limit))
	for _, s := range segments {
		s.Release()
	}
	require.Zero(t, root.Used())
}

// heapInUse collects garbage and returns the bytes then in use on the heap.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func weigh[V any](t *testing.T, v V, want int64) {
	t.Helper()
	require.Equal(t, want, weigher(reflect.TypeFor[V]())(memory.Of(&v)), "%T", v)
}
