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
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// tree is a value that points to more of its kind.
type tree struct {
	Word string
	Kids []*tree
}

func codec[V any](cfg config[V]) config[V] {
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

func joinMaps(a, b map[string]int) map[string]int {
	both := make(map[string]int, len(a)+len(b))
	for _, m := range []map[string]int{a, b} {
		for k, n := range m {
			both[k] += n
		}
	}
	return both
}

// Memory that values refer to counts against the budget: a table can receive many times its budget
// in values of each kind, and its heap use stays small.
func TestValuesOnTheHeapKeepTheBudget(t *testing.T) {
	t.Run("string", func(t *testing.T) {
		holdsBudget(t, config[string]{combine: func(a, b string) string { return a + "," + b }},
			func(s string) string { return s })
	})
	t.Run("strings", func(t *testing.T) {
		holdsBudget(t, config[[]string]{combine: func(a, b []string) []string { return append(slices.Clip(a), b...) }},
			func(s string) []string { return []string{s} })
	})
	t.Run("bytes", func(t *testing.T) {
		holdsBudget(t, config[[]byte]{combine: func(a, b []byte) []byte { return bytes.Join([][]byte{a, b}, nil) }},
			func(s string) []byte { return []byte(s) })
	})
	t.Run("map", func(t *testing.T) {
		holdsBudget(t, config[map[string]int]{combine: joinMaps},
			func(s string) map[string]int { return map[string]int{s: 1} })
	})
	t.Run("pointer", func(t *testing.T) {
		holdsBudget(t,
			config[*tree]{combine: func(a, b *tree) *tree { return &tree{Kids: append(slices.Clip(a.Kids), b)} }},
			func(s string) *tree { return &tree{Word: s} })
	})
	t.Run("changed in place", func(t *testing.T) {
		holdsBudget(t, config[map[string]int]{combine: func(a, b map[string]int) map[string]int {
			for k, n := range b {
				a[k] += n
			}
			return a
		}}, func(s string) map[string]int { return map[string]int{s: 1} })
	})
}

// holdsBudget emits 6 MiB of values to 500 keys with a budget of 2 MiB.
func holdsBudget[V any](t *testing.T, cfg config[V], value func(s string) V) {
	const limit, total = 2 << 20, 6 << 20
	root := memory.NewBudget(limit)
	budget := root.Sub()
	defer budget.Close()
	cfg = codec(cfg)
	cfg.Partitions, cfg.Budget, cfg.SpillDir = 3, budget, t.TempDir()
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
	require.Less(t, most, before+limit, "of a budget of %d bytes", limit)
	require.Greater(t, len(table.acc.spills), 2)
	segments, _, err := table.Finish()
	require.NoError(t, err)
	require.LessOrEqual(t, root.Used(), int64(limit))
	for _, s := range segments {
		s.Release()
	}
	require.Zero(t, root.Used())
}

// heapInUse returns the heap in use after a collection.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The weight of a value on the heap is about its size; a value that contains itself has a finite
// weight.
func TestWeigher(t *testing.T) {
	loop := &tree{Word: "abc"}
	loop.Kids = []*tree{loop}
	weigh[string](t, "hello", 5)
	weigh(t, []int32{1, 2, 3}, 12)
	weigh(t, []string{"ab", "cde"}, 2*16+5)
	weigh(t, [][]byte{{1}, {2, 3}}, 2*24+3)
	weigh(t, struct {
		A int
		B string
		C [2]int
	}{B: "four"}, 4)
	weigh(t, map[int64]int64{1: 1, 2: 2}, 2*2*(16+perEntry))
	weigh[any](t, int64(1), 8)
	weigh(t, loop, int64(unsafe.Sizeof(*loop))+3+8)
	require.Nil(t, weigher(reflect.TypeFor[struct{ A, B int }]()))
}

func weigh[V any](t *testing.T, v V, want int64) {
	t.Helper()
	require.Equal(t, want, weigher(reflect.TypeFor[V]())(unsafe.Pointer(&v)), "%T", v)
}
