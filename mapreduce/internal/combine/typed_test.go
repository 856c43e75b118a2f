package combine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// config is Options, and the functions of Values with the type of the values.
type config[V any] struct {
	Options
	combine func(a, b V) V
	adds    bool // combine adds, as a job with Sum declares
	append  func(dst []byte, v V) []byte
	decode  func(b []byte) (V, error)
}

// values returns the Values of a config, which need no functions if values are added.
func (c config[V]) values() Values {
	v := Values{Type: reflect.TypeFor[V]()}
	v.Bytes, _ = any(c.combine).(func(a, b []byte) []byte)
	if c.combine != nil {
		v.Fold = FoldOf(c.combine)
	}
	if c.append == nil && c.Sum {
		v.Append = func(dst []byte, v memory.Pointer) []byte {
			return binary.LittleEndian.AppendUint64(dst, *memory.To[uint64](v))
		}
		v.Decode = func(b []byte, v memory.Pointer) error {
			*memory.To[uint64](v) = binary.LittleEndian.Uint64(b)
			return nil
		}
	}
	if c.append != nil {
		v.Append = func(dst []byte, v memory.Pointer) []byte { return c.append(dst, *memory.To[V](v)) }
		v.Decode = func(b []byte, v memory.Pointer) (err error) {
			*memory.To[V](v), err = c.decode(b)
			return err
		}
	}
	return v
}

// table is a Table with its type of values, and the config that it was made with.
type table[V any] struct {
	*Table
	config config[V]
}

func newTable[V any](c config[V]) *table[V] { return &table[V]{NewTable(c.Options, c.values()), c} }

// emit emits in the simplest way.
func (t *table[V]) emit(key []byte, v V) {
	t.sign()
	*memory.To[V](t.Next()) = v
	t.put(key)
}

// emitReused emits v as user code does that overwrites the bytes after the call.
func emitReused(t *table[[]byte], key, v []byte) {
	t.sign()
	*memory.To[[]byte](t.Next()) = v
	t.CopyValue()
	t.put(key)
}

// merge is a Merge with its type of values.
type merge[V any] struct{ *Merge }

func newMerge[V any](c config[V], segments []*Segment) *merge[V] {
	return &merge[V]{NewMerge(c.Options, c.values(), segments)}
}

func (m *merge[V]) Next() (key []byte, v V, ok bool) {
	key, at, ok := m.Merge.Next()
	if ok {
		v = *memory.To[V](at)
	}
	return key, v, ok
}

func (m *merge[V]) Numbers(keys []uint64, values []V) (n int, ok bool) {
	return m.Merge.Numbers(keys, memory.Of(unsafe.SliceData(values)), memory.SizeOf[V]())
}

// resources returns this budget, and files in a directory of the test.
func resources(t *testing.T, b *memory.Budget) segment.Resources {
	return segment.Resources{Budget: b, Files: segment.NewFiles(t.TempDir())}
}

// emitterOf returns the emit for keys of type K: the ready one, or that of Emit with put.
func emitterOf[K, V any](t *table[V], put func(key memory.Pointer)) func(K, V) {
	if ready := t.Ready(reflect.TypeFor[func(K, V)]()); ready != nil {
		return ready.(func(K, V))
	}
	return Emit[K, V](t.Table, put)
}

// emitNumbers returns the emit of the table for integer keys, as jobs get it for these values.
func emitNumbers[K, V any](t *table[V], flip uint64) func(K, V) {
	if t.config.Sum || t.config.adds {
		return t.ReadySums(reflect.TypeFor[func(K, V)](), flip).(func(K, V))
	}
	return EmitNumbers[K](t.Table, flip, t.config.combine)
}

// A Lookup returns the values that a map of slices has for each key, in order, for keys of any
// length. The growth of its table and the size of batches do not matter.
func TestLookupFindsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Lookup[int]
		want := map[string][]int{}
		key := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(0, 300).Draw(t, "n")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return fmt.Sprint(n)
			case 1:
				return strings.Repeat("\x00", n%40)
			case 2:
				return fmt.Sprintf("a long key whose number is %d", n)
			default:
				return fmt.Sprintf("%016d", n) + strings.Repeat("x", n%2)
			}
		})
		batch := NewLookupBatch(&l)
		check := func(keys ...string) {
			for _, k := range keys {
				batch.Add([]byte(k))
			}
			found := batch.Find()
			require.Len(t, found, len(keys))
			for i, k := range keys {
				require.Equal(t, want[k], found[i], "%q", k)
			}
		}
		for v := range rapid.IntRange(0, 500).Draw(t, "values") {
			k := key.Draw(t, "key")
			check(k)
			l.Add([]byte(k), v)
			want[k] = append(want[k], v)
		}
		for keys := range slices.Chunk(slices.Sorted(maps.Keys(want)), LookupBatchSize) {
			check(keys...)
		}
		check(rapid.SliceOfN(key, 0, LookupBatchSize).Draw(t, "asked")...)
		check("none")
	})
}

// A merge returns keys of about the maximum length of an entry, and longer ones, in order, from its
// table and from spills.
func TestLongestKeys(t *testing.T) {
	for name, limit := range map[string]int64{"in memory": 0, "spilled": 4 << 20} {
		for _, n := range []int{20, 200} { // insertion sort, and beyond its limit
			t.Run(name, func(t *testing.T) { longestKeys(t, limit, n) })
		}
	}
}

func longestKeys(t *testing.T, limit int64, n int) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	want := map[string]int64{}
	cfg := config[int64]{Options: Options{Partitions: 1, Sum: true, Resources: resources(t, memory.NewBudget(limit)), largest: 1 << 20}}
	table := newTable(cfg)
	for i := range 2 * n {
		size := []int{7, 24, 65_533, 65_534, 65_535, 65_536, 70_000}[i/2%7]
		key := bytes.Repeat([]byte("a"), size)
		key[size-1] = byte('a' + rng.IntN(26)) // the rest is equal
		table.emit(key, int64(i))
		want[string(key)] += int64(i)
	}
	segments, stats, err := table.Finish()
	require.NoError(t, err)
	require.Equal(t, limit > 0 && n > 100, stats.Spills > 0)
	m := newMerge(cfg, segments)
	defer m.Close()
	var got []string
	for key, v, ok := m.Next(); ok; key, v, ok = m.Next() {
		got = append(got, string(key))
		require.Equal(t, want[string(key)], v)
	}
	require.NoError(t, m.Err())
	require.Len(t, got, len(want))
	require.True(t, slices.IsSortedFunc(got, strings.Compare))
	segments[0].Release()
}

// A table reads its keys from many regions. Regions are as large as an offset can address, so a
// real one has several only with gigabytes; here a region has 64 cells.
func TestCellsOfManyRegions(t *testing.T) {
	table := newTable(config[int64]{Options: Options{Partitions: 1, Sum: true, Resources: segment.Resources{Pool: memory.NewPool(nil, 0)}}})
	defer table.Close()
	a := &table.acc
	var want []string
	for i := range 3000 {
		key := fmt.Sprintf("12345678%d", i*7919%3000)
		table.emit([]byte(key), 1)
		want = append(want, key)
	}
	a.flush()
	slices.Sort(want)
	keys := a.keys()
	keys.chunk = 6
	s := keys.sort(a.len(), a.opt.Pool)
	defer a.opt.Pool.Put(s.slab)
	var got []string
	for id, ok := s.next(); ok; id, ok = s.next() {
		key, _ := s.pair(id)
		got = append(got, string(key))
	}
	require.Equal(t, want, got)
}
