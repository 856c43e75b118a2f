package combine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

const pageSize = 4096

// mean is a type of values with 16 bytes and no pointers.
type mean struct{ sum, count int64 }

func joinMeans(a, b mean) mean { return mean{a.sum + b.sum, a.count + b.count} }

func appendMean(dst []byte, m mean) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, uint64(m.sum)), uint64(m.count))
}

func decodeMean(b []byte) (mean, error) {
	return mean{int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))}, nil
}

func add32(a, b uint32) uint32 { return a + b }

// sum32 is a config whose values are added and smaller than a cell has room for.
func sum32() config[uint32] {
	return config[uint32]{
		combine: add32,
		append:  binary.LittleEndian.AppendUint32,
		decode:  func(b []byte) (uint32, error) { return binary.LittleEndian.Uint32(b), nil },
	}
}

func longer(a, b string) string { return max(a, b) }

func drawKeys(t *rapid.T) [][]byte {
	n := rapid.SampledFrom([]int{0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 191, 192, 2000}).Draw(t, "emits")
	distinct := rapid.SampledFrom([]int{1, 10, 1500}).Draw(t, "distinct")
	alphabet := rapid.SampledFrom([]string{"\x00", "ab", "the quick\xff"}).Draw(t, "alphabet")
	longest := rapid.SampledFrom([]int{3, 16, 17, 60, 200}).Draw(t, "longest")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	words := make([][]byte, distinct)
	for i := range words {
		w := make([]byte, rng.IntN(longest+1))
		for j := range w {
			w[j] = alphabet[rng.IntN(len(alphabet))]
		}
		words[i] = w
	}
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = words[rng.IntN(distinct)]
	}
	return keys
}

// ways is the number of emit functions that emitter can return.
const ways = 4

// emitter returns one of the table's emits for keys of bytes; way is 0 to ways-1.
func emitter[V any](t *table[V], way int) func([]byte, V) {
	switch way {
	case 0:
		return t.emit
	case 1:
		return emitterOf[[]byte](t, t.PutBytes)
	case 2:
		emit := emitterOf[string](t, t.PutString)
		return func(k []byte, v V) { emit(unsafe.String(unsafe.SliceData(k), len(k)), v) }
	default:
		return Emit[[]byte, V](t.Table, t.PutEncoded(encodeInParts))
	}
}

// encodeInParts encodes a []byte as a struct does with two fields: the first byte and the rest.
func encodeInParts(dst []byte, key memory.Pointer) []byte {
	k := *memory.To[[]byte](key)
	n := min(len(k), 1)
	return memory.AppendShort(append(dst, k[:n]...), k[n:])
}

// check compares what attempts with tables and a merge return with the content of a Go map.
func check[V comparable](t *rapid.T, dir string, cfg config[V], value func(i int) V, fold func(a, b V) V) {
	limit := rapid.SampledFrom([]int64{0, 1, 100_000, 1 << 20}).Draw(t, "limit")
	root := memory.NewBudget(limit)
	cfg.Pool = memory.NewPool(root, rapid.SampledFrom([]int64{0, 1 << 20}).Draw(t, "idle"))
	cfg.Partitions = rapid.IntRange(1, 3).Draw(t, "partitions")
	cfg.Distinct = rapid.SampledFrom([]int{0, 5000}).Draw(t, "hint")
	cfg.Expected = rapid.SampledFrom([]int{0, 5000}).Draw(t, "expected")
	cfg.fanIn = rapid.SampledFrom([]int{0, 2}).Draw(t, "fan-in")
	cfg.Files, cfg.leastCells = segment.NewFiles(dir), 64
	want := map[string]V{}
	segments := make([][]*Segment, cfg.Partitions)
	for range rapid.IntRange(0, 4).Draw(t, "attempts") {
		cfg.Budget = root.Sub()
		table := newTable(cfg)
		var emit func([]byte, V)
		var keys [][]byte
		if cfg.Width > 0 {
			emit, keys = emitNumber(table), drawNumbers(t, cfg.Width)
		} else {
			emit = emitter(table, rapid.IntRange(0, ways-1).Draw(t, "way"))
			keys = drawKeys(t)
		}
		size := 0
		for i, k := range keys {
			v := value(i)
			b := slices.Clone(k)
			emit(b, v)
			size += len(k) + int(memory.SizeOf[V]())
			clear(b)
			if old, ok := want[string(k)]; ok {
				v = fold(old, v)
			}
			want[string(k)] = v
		}
		out, stats, err := table.Finish()
		require.NoError(t, err)
		require.EqualValues(t, len(keys), stats.Records)
		require.EqualValues(t, size, stats.Bytes)
		for p, s := range out {
			segments[p] = append(segments[p], s)
		}
		cfg.Budget.Close()
	}
	got := map[string]V{}
	next := (*merge[V]).Next
	if cfg.Width > 0 && rapid.Bool().Draw(t, "many at once") {
		next = nextOfMany[V](rapid.SampledFrom([]int{1, 63, 64, 200}).Draw(t, "at once"))
	}
	for p := range segments {
		cfg.Budget = root.Sub()
		m := newMerge(cfg, segments[p])
		for _, s := range segments[p] {
			s.Release()
		}
		last := ""
		for first := true; ; first = false {
			k, v, ok := next(m)
			if !ok {
				break
			}
			require.True(t, first || last < string(k), "%q before %q", last, k)
			require.Equal(t, p, segment.PartitionOf(k, cfg.Partitions))
			last = string(k)
			got[last] = v
		}
		require.NoError(t, m.Err())
		m.Close()
		require.Zero(t, cfg.Budget.Used())
		cfg.Budget.Close()
	}
	require.True(t, maps.Equal(want, got), "want %v, got %v", want, got)
	cfg.Pool.Close()
	require.Zero(t, root.Used())
}

func TestCombineEqualsMap(t *testing.T) {
	dir := t.TempDir()
	t.Run("sum", rapid.MakeCheck(func(t *rapid.T) {
		check(t, dir, config[int64]{Options: Options{Sum: true}}, func(i int) int64 { return int64(i) - 5 },
			func(a, b int64) int64 { return a + b })
	}))
	t.Run("sum32", rapid.MakeCheck(func(t *rapid.T) {
		check(t, dir, sum32(), func(i int) uint32 { return uint32(i) << 20 }, add32)
	}))
	t.Run("struct", rapid.MakeCheck(func(t *rapid.T) {
		cfg := config[mean]{combine: joinMeans, append: appendMean, decode: decodeMean}
		check(t, dir, cfg, func(i int) mean { return mean{int64(i), 1} }, joinMeans)
	}))
	t.Run("pointers", rapid.MakeCheck(func(t *rapid.T) {
		cfg := config[string]{combine: longer, append: func(dst []byte, s string) []byte { return append(dst, s...) }, decode: func(b []byte) (string, error) { return string(b), nil }}
		check(t, dir, cfg, func(i int) string { return strings.Repeat("x", i%50) }, longer)
	}))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "spill files left behind")
}

// Keys before and after a page boundary arrive unchanged, for all types of keys and all emits.
func TestEmittersAtEndsOfPages(t *testing.T) {
	type votes int
	page := make([]byte, 2*pageSize)
	_, err := rand.NewChaCha8([32]byte{2}).Read(page)
	require.NoError(t, err)
	for way := range ways {
		table := newTable(config[votes]{Options: Options{Partitions: 1, Sum: true}})
		emit, want := emitter(table, way), map[string]votes{}
		for start := pageSize - 24; start < pageSize+4; start++ {
			for n := range inlineKey + 3 {
				k := page[start : start+n]
				emit(k, votes(n-start))
				want[string(k)] += votes(n - start)
			}
		}
		out, _, err := table.Finish()
		require.NoError(t, err)
		m, got := newMerge(config[votes]{Options: Options{Sum: true}}, out), map[string]votes{}
		for k, v, ok := m.Next(); ok; k, v, ok = m.Next() {
			got[string(k)] = v
		}
		require.Equal(t, want, got)
	}
}

// Each emit shows an observer that the attempt makes progress, and panics once its gate is shut.
func TestEmittersSignAndStop(t *testing.T) {
	for way := range ways {
		life := new(memory.Liveness)
		budget := memory.NewBudget(0).Sub()
		budget.Show(life)
		table := newTable(config[int64]{Options: Options{Partitions: 1, Sum: true, Resources: segment.Resources{Budget: budget}}})
		emit := emitter(table, way)
		before := life.Ask()
		emit([]byte("a"), 1)
		require.Equal(t, before+1, life.Ask(), way)
		table.Gate().Shut()
		require.PanicsWithValue(t, memory.Outside, func() { emit([]byte("b"), 1) })
		table.Close()
	}
}

func TestWrongConfigurationPanics(t *testing.T) {
	require.Panics(t, func() {
		Emit[string, int32](newTable(config[int64]{Options: Options{Partitions: 1, Sum: true}}).Table, nil)
	})
	require.Panics(t, func() { newTable(config[float64]{Options: Options{Partitions: 1, Sum: true}}) })
	require.Panics(t, func() { newTable(config[int]{Options: Options{Partitions: 1}}) })
}

func TestSpillFailureShowsInFinish(t *testing.T) {
	cfg := config[int64]{Options: Options{Partitions: 2, Sum: true, Resources: segment.Resources{Budget: memory.NewBudget(1).Sub(), Files: segment.NewFiles(t.TempDir() + "/missing")}, leastCells: 64}}
	table := newTable(cfg)
	for i := range 5000 {
		table.emit(binary.BigEndian.AppendUint32(nil, uint32(i)), 1)
	}
	require.ErrorIs(t, table.Err(), os.ErrNotExist)
	_, _, err := table.Finish()
	require.ErrorIs(t, err, os.ErrNotExist)
	table.Close()
}

// A key too large to hold is rejected when it is emitted, and a value when it has grown too large.
func TestTooLargeToHold(t *testing.T) {
	const most = 10_000
	long := func(n int) []byte { return bytes.Repeat([]byte("k"), n) }
	finish := func(table *table[string]) error {
		out, _, err := table.Finish()
		for _, s := range out {
			s.Release()
		}
		return err
	}
	root := memory.NewBudget(0)
	cfg := withJSON(config[string]{Options: Options{Partitions: 1, largest: most}, combine: func(a, b string) string { return a + b }})
	cfg.Resources = resources(t, root.Sub())
	table := newTable(cfg)
	table.emit(long(most-4), "ab") // JSON: 4 bytes
	table.emit(long(most-4), "")
	require.NoError(t, finish(table))

	table = newTable(cfg)
	table.emit(long(most), "")
	require.NoError(t, table.Err(), "the key alone may be held")
	table.emit(long(most+1), "")
	require.ErrorIs(t, table.Err(), memory.ErrRecordTooLarge)
	require.EqualError(t, finish(table),
		"combine: record too large: a key of 10001 bytes is longer than 10000 bytes, the most that is held in memory")

	for _, limit := range []int64{0, 1} { // packed in memory, and spilled
		cfg.Budget = memory.NewBudget(limit).Sub()
		table = newTable(cfg)
		for range 2 {
			table.emit([]byte("key"), string(long(most/2)))
		}
		require.EqualError(t, finish(table),
			"combine: record too large: a key with its combined value of 10005 bytes is longer than 10000 bytes, the most that is held in memory")
		require.Zero(t, cfg.Budget.Used())
	}
	require.Zero(t, root.Used())
}

// A table without any budget spills many long keys at once: the places of a spill's runs take
// memory too, which the budget does not count.
func TestStarvedTablesSpillManyKeys(t *testing.T) {
	cfg := config[int64]{Options: Options{Partitions: 2, Sum: true, Resources: resources(t, memory.NewBudget(1).Sub())}}
	table := newTable(cfg)
	const n = 40_000
	for i := range n {
		table.emit(fmt.Appendf(nil, "%060d", i), 1)
	}
	out, stats, err := table.Finish()
	require.NoError(t, err)
	require.Positive(t, stats.Spills)
	require.LessOrEqual(t, stats.Spills, int64(n/(minCells/4)+1), "half a table of half that size, which grows fourfold")
	for _, s := range out {
		require.Positive(t, s.Records())
		s.Release()
	}
}

func TestSpillsAreCounted(t *testing.T) {
	cfg := config[int64]{Options: Options{Partitions: 2, Sum: true, Resources: resources(t, memory.NewBudget(1).Sub()), leastCells: 64}}
	table := newTable(cfg)
	for i := range 5000 {
		table.emit(binary.BigEndian.AppendUint32(nil, uint32(i%2500)), 1)
	}
	out, stats, err := table.Finish()
	require.NoError(t, err)
	require.Greater(t, stats.Spills, int64(2))
	require.EqualValues(t, 5000, stats.Records)
	require.Equal(t, stats.SpilledRecords, stats.Output)
	m := newMerge(cfg, out)
	n := 0
	for _, v, ok := m.Next(); ok; _, v, ok = m.Next() {
		require.EqualValues(t, 2, v)
		n++
	}
	require.NoError(t, m.Err())
	require.Equal(t, 2500, n)
	require.Equal(t, stats.Output, m.Stats().Records)
	m.Close()
	for _, s := range out {
		s.Release()
	}
	require.Zero(t, cfg.Budget.Used())
}
