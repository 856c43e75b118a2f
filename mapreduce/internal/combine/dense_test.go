package combine

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// emitNumber emits integer keys with emitNumbers.
func emitNumber[V any](t *table[V]) func(key []byte, v V) {
	const flip = 1 << 3
	if t.acc.opt.Width == 4 {
		emit := emitNumbers[int32](t, flip)
		return func(key []byte, v V) { emit(int32(binary.BigEndian.Uint32(key)^flip), v) }
	}
	emit := emitNumbers[uint64](t, flip)
	return func(key []byte, v V) { emit(binary.BigEndian.Uint64(key)^flip, v) }
}

func addFloat(a, b float64) float64 { return a + b }

func appendFloat(dst []byte, x float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
}

func decodeFloat(b []byte) (float64, error) {
	return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
}

// nextOfMany returns a Next that gets atOnce pairs per call of Numbers, if the merge supports that.
func nextOfMany[V any](atOnce int) func(m *merge[V]) ([]byte, V, bool) {
	keys, values, of, left, n := make([]uint64, atOnce), make([]V, atOnce), (*merge[V])(nil), 0, 0
	return func(m *merge[V]) (key []byte, v V, ok bool) {
		if of != m {
			of, left, n = m, 0, 0
		}
		if left == n {
			left = 0
			if n, ok = m.Numbers(keys, values); !ok {
				return m.Next()
			}
		}
		if n == 0 {
			return nil, v, false
		}
		width := m.acc.opt.Width
		left++
		return binary.BigEndian.AppendUint64(nil, keys[left-1])[8-width:], values[left-1], true
	}
}

// drawNumbers returns keys from up to three ranges. Some are dense; ranges may be close, far apart,
// or at the ends of what a number can be.
func drawNumbers(t *rapid.T, width int) [][]byte {
	type span struct{ from, size uint64 }
	var spans []span
	end := ^uint64(0) >> (64 - 8*width)
	for range rapid.IntRange(1, 3).Draw(t, "ranges") {
		s := span{
			from: rapid.SampledFrom([]uint64{0, 5, 1023, 5000, 1 << 20, 1 << 31, end / 2, end - 2000, end}).Draw(t, "from"),
			size: rapid.SampledFrom([]uint64{1, 3, 64, 2000, 60_000, 1 << 25}).Draw(t, "size"),
		}
		s.size = max(1, min(s.size, end-s.from))
		spans = append(spans, s)
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	inOrder := rapid.Bool().Draw(t, "in order")
	keys := make([][]byte, rapid.SampledFrom([]int{0, 1, 64, 1025, 2500, 9000}).Draw(t, "emits"))
	for i := range keys {
		s := spans[rng.IntN(len(spans))]
		x := rng.Uint64N(s.size)
		if inOrder {
			x = uint64(i) % s.size
		}
		keys[i] = binary.BigEndian.AppendUint64(nil, s.from+x)[8-width:]
	}
	return keys
}

// Integer keys give the same output as a Go map, in a dense array or not, spilled or not.
func TestNumbersEqualMap(t *testing.T) {
	dir := t.TempDir()
	t.Run("sum of 4 bytes", rapid.MakeCheck(func(t *rapid.T) {
		check(t, dir, config[int64]{Options: Options{Sum: true, Width: 4}}, func(i int) int64 { return int64(i) - 5 },
			func(a, b int64) int64 { return a + b })
	}))
	t.Run("sum of 8 bytes", rapid.MakeCheck(func(t *rapid.T) {
		check(t, dir, config[uint64]{Options: Options{Sum: true, Width: 8}}, func(i int) uint64 { return uint64(i) << 60 },
			func(a, b uint64) uint64 { return a + b })
	}))
	t.Run("sum of values of 4 bytes", rapid.MakeCheck(func(t *rapid.T) {
		cfg := sum32()
		cfg.Width = rapid.SampledFrom([]int{4, 8}).Draw(t, "width")
		check(t, dir, cfg, func(i int) uint32 { return uint32(i) << 20 }, add32)
	}))
	t.Run("sum of floats", rapid.MakeCheck(func(t *rapid.T) { // whole numbers, whose sum has no rounding
		cfg := config[float64]{Options: Options{Width: rapid.SampledFrom([]int{4, 8}).Draw(t, "width")}, combine: addFloat, adds: rapid.Bool().Draw(t, "declared"), append: appendFloat, decode: decodeFloat}
		check(t, dir, cfg, func(i int) float64 { return float64(i) - 5 }, addFloat)
	}))
	t.Run("struct", rapid.MakeCheck(func(t *rapid.T) {
		cfg := config[mean]{Options: Options{Width: rapid.SampledFrom([]int{4, 8}).Draw(t, "width")}, combine: joinMeans, append: appendMean, decode: decodeMean}
		check(t, dir, cfg, func(i int) mean { return mean{int64(i), 1} }, joinMeans)
	}))
}

// A sum of negative zeros is one: a place of the array without a key holds -0, not 0.
func TestSumOfNegativeZeros(t *testing.T) {
	table := newTable(config[float64]{Options: Options{Width: 8, Partitions: 1}, combine: addFloat, adds: true, append: appendFloat, decode: decodeFloat})
	emit := emitNumbers[uint64](table, 0)
	for range 20 {
		for i := range uint64(10) {
			emit(i, math.Copysign(0, -1))
		}
	}
	require.Equal(t, 10, table.acc.dense.count())
	segments, _, err := table.Finish()
	require.NoError(t, err)
	m := newMerge(table.config, segments)
	defer m.Close()
	for range 10 {
		_, v, ok := m.Next()
		require.True(t, ok)
		require.True(t, math.Signbit(v))
	}
}

// A table stores close numbers in a dense array and others in cells. With values on the heap it has
// no array.
func TestNumbersLieInADenseArray(t *testing.T) {
	fill := func(n int, key func(i int) uint64) *table[int64] {
		table := newTable(config[int64]{Options: Options{Sum: true, Width: 8, Partitions: 1}})
		emit := emitNumbers[uint64](table, 0)
		for i := range n {
			emit(key(i), 1)
		}
		table.acc.flush()
		return table
	}
	near := fill(10_000, func(i int) uint64 { return 1<<40 + uint64(i*7919%100_000) })
	require.Less(t, near.acc.hash.n, 3000)
	require.Equal(t, 10_000, near.acc.hash.n+near.acc.dense.count())
	far := fill(10_000, func(i int) uint64 { return uint64(i) << 20 })
	require.Equal(t, 10_000, far.acc.hash.n)
	few := fill(2*batchSize+1, func(i int) uint64 { return uint64(i % 10) })
	require.Equal(t, 10, few.acc.dense.count())
	heap := newTable(withJSON(config[string]{Options: Options{Width: 8, Partitions: 1}, combine: longer}))
	require.False(t, heap.Numbers())
	require.True(t, near.Numbers())
	for _, x := range []*table[int64]{near, far, few} {
		x.Close()
	}
	require.Panics(t, func() { newTable(config[int64]{Options: Options{Sum: true, Width: 9, Partitions: 1}}) })
}

// Finish passes a dense array on as it is if it has all keys and few gaps, and packs others.
func TestDenseArraysArePassedOn(t *testing.T) {
	root := memory.NewBudget(1 << 30)
	finish := func(cfg config[int64], n int, step uint32) []*Segment {
		cfg.Sum, cfg.Width, cfg.Partitions, cfg.Budget = true, 4, 2, root.Sub()
		table := newTable(cfg)
		emit := emitNumbers[uint32](table, 0)
		for i := range uint32(n) {
			emit(i*step, int64(i))
		}
		out, stats, err := table.Finish()
		require.NoError(t, err)
		require.EqualValues(t, n, stats.Output)
		require.EqualValues(t, 12*n, stats.OutputBytes)
		cfg.Budget.Close()
		return out
	}
	near, far := finish(config[int64]{}, 20_000, 1), finish(config[int64]{}, 2000, 7)
	require.NotNil(t, near[0].dense)
	require.NotNil(t, near[1].dense)
	require.Same(t, near[0].store, near[1].store)
	require.Nil(t, far[0].dense, "seven places for each key")
	require.NotNil(t, far[0].blocks)
	own := finish(config[int64]{Options: Options{Partition: func(key []byte) int { return int(key[3]) % 2 }}}, 20_000, 1)
	require.NotNil(t, own[0].dense)
	stored := finish(config[int64]{Options: Options{Stored: true}}, 20_000, 1)
	require.Nil(t, stored[0].dense)
}

// A dense array is spilled if the budget has no room to keep it in memory.
func TestRowsThatMayNotStayAreSpilled(t *testing.T) {
	root := memory.NewBudget(16 << 20)
	budget := root.Sub()
	table := newTable(config[int64]{Options: Options{Sum: true, Width: 4, Partitions: 2, Resources: resources(t, budget)}})
	emit := emitNumbers[uint32](table, 0)
	for i := range uint32(30_000) {
		emit(i, 1)
	}
	require.NotZero(t, table.acc.dense.count())
	root.Fix(8 << 20)
	out, stats, err := table.Finish()
	require.NoError(t, err)
	require.EqualValues(t, 30_000, stats.SpilledRecords)
	for _, s := range out {
		require.Nil(t, s.dense)
		s.Release()
	}
	root.Fix(-8 << 20)
	require.Zero(t, root.Used())
}

// A dense array, and its copy when it grows, are charged to the budget. If the budget refuses, the
// keys go into cells.
func TestDenseArraysAreCharged(t *testing.T) {
	root := memory.NewBudget(1 << 30)
	budget := root.Sub()
	table := newTable(config[int64]{Options: Options{Sum: true, Width: 4, Partitions: 1, Resources: segment.Resources{Budget: budget}}})
	before := budget.Used()
	emit := emitNumbers[uint32](table, 0)
	for i := range uint32(100_000) {
		emit(i, 1)
	}
	array := len(table.acc.dense.slab.Bytes)
	require.GreaterOrEqual(t, array, 100_000*65/8)
	require.GreaterOrEqual(t, budget.Used()-before, int64(array)+100_000*13)
	table.Close()
	require.Zero(t, budget.Used())

	full := memory.NewBudget(1)
	table = newTable(config[int64]{Options: Options{Sum: true, Width: 4, Partitions: 1, Resources: segment.Resources{Budget: full.Sub()}}})
	emitNumbers[uint32](table, 0)(7, 1)
	require.Zero(t, table.acc.dense.count())
	table.Close()
	require.Zero(t, full.Used())
}
