package combine

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// emitAllNumbers emits a value under each of several keys, with the emitter for many of them.
func emitAllNumbers[V any](t *Table[V], width int) func(keys [][]byte, v V) {
	of4 := NumbersEmitter(t, 1<<31, NumberEmitter[int32](t, 1<<31))
	of8 := NumbersEmitter(t, 0, NumberEmitter[uint64](t, 0))
	return func(keys [][]byte, v V) {
		var list4 []int32
		var list8 []uint64
		for _, k := range keys {
			if width == 4 {
				list4 = append(list4, int32(binary.BigEndian.Uint32(k)^1<<31))
			} else {
				list8 = append(list8, binary.BigEndian.Uint64(k))
			}
		}
		if width == 4 {
			of4(list4, v)
		} else {
			of8(list8, v)
		}
		clear(list4)
		clear(list8)
	}
}

// A sum of floats is that of what was emitted, to the bit, be it -0: which is what places of a row hold
// that nothing was emitted for.
func TestSumsEqualMap(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		width, partitions := rapid.SampledFrom([]int{4, 8}).Draw(t, "width"), rapid.IntRange(1, 3).Draw(t, "partitions")
		root := memory.NewBudget(rapid.SampledFrom([]int64{0, 1, 100_000, 1 << 20}).Draw(t, "limit"))
		cfg := Config[float64]{
			Combine: addFloat, Append: appendFloat, Decode: decodeFloat, Width: width, Partitions: partitions, SpillDir: dir, least: 64,
			Pool: memory.NewPool(root, 1<<20), Expected: rapid.SampledFrom([]int{0, 5000}).Draw(t, "expected"),
		}
		want, segments := map[string]float64{}, make([][]*Segment[float64], partitions)
		for range rapid.IntRange(0, 3).Draw(t, "attempts") {
			cfg.Budget = root.Sub()
			table := NewTable(cfg)
			emitAll, keys, records := emitAllNumbers(table, width), drawNumbers(t, width), 0
			for at := 0; at < len(keys); {
				n := rapid.SampledFrom([]int{0, 1, 2, 100, 3000}).Draw(t, "keys at once")
				list := keys[at:min(at+n, len(keys))]
				v := rapid.SampledFrom([]float64{math.Copysign(0, -1), 0, 1, -1, 7, math.Inf(1)}).Draw(t, "value")
				emitAll(list, v)
				records += len(list)
				for _, k := range list {
					if old, ok := want[string(k)]; ok {
						want[string(k)] = old + v
					} else {
						want[string(k)] = v
					}
				}
				at += max(n, 1) // now and then one is left out
			}
			out, stats, err := table.Finish()
			require.NoError(t, err)
			require.EqualValues(t, records, stats.Records)
			for p, s := range out {
				segments[p] = append(segments[p], s)
			}
			cfg.Budget.Close()
		}
		got := mergedBits(t, cfg, root, segments, nextOfMany[float64](rapid.SampledFrom([]int{1, 63, 64, 200}).Draw(t, "at once")))
		require.Len(t, got, len(want))
		for k, v := range want {
			require.Equal(t, math.Float64bits(v), got[k], "key %x is to be %v", k, v)
		}
		cfg.Pool.Close()
		require.Zero(t, root.Used())
	})
}

// mergedBits are the values of all keys, as bits.
func mergedBits(t *rapid.T, cfg Config[float64], root *memory.Budget, segments [][]*Segment[float64],
	next func(*Merge[float64]) ([]byte, float64, bool),
) map[string]uint64 {
	got := map[string]uint64{}
	for p := range segments {
		cfg.Budget = root.Sub()
		m := NewMerge(cfg, segments[p])
		for _, s := range segments[p] {
			s.Release()
		}
		for k, v, ok := next(m); ok; k, v, ok = next(m) {
			require.Equal(t, p, segment.PartitionOf(k, cfg.Partitions))
			got[string(k)] = math.Float64bits(v)
		}
		require.NoError(t, m.Err())
		m.Close()
		cfg.Budget.Close()
	}
	return got
}

// Sums come to lie in a row, which is handed over as it is, with what only -0 was emitted for.
func TestSumsLieInARow(t *testing.T) {
	table := NewTable(Config[float64]{Combine: addFloat, Width: 4, Partitions: 1})
	if table.adds != addFloats {
		t.Skip("the sum of floats is called here")
	}
	one := NumberEmitter[uint32](table, 0)
	all := NumbersEmitter(table, 0, one)
	keys := make([]uint32, 5000)
	for i := range keys {
		keys[i] = uint32(i)
	}
	all(keys, math.Copysign(0, -1))
	all(keys[:4000], 1)
	one(6000, 2)
	out, stats, err := table.Finish()
	require.NoError(t, err)
	require.EqualValues(t, 5001, stats.Output)
	require.NotNil(t, out[0].row)
	out[0].Release()

	shut := NewTable(Config[float64]{Combine: addFloat, Width: 4, Partitions: 1})
	emitAll := NumbersEmitter(shut, 0, NumberEmitter[uint32](shut, 0))
	shut.Close()
	require.Panics(t, func() { emitAll(keys, 1) })
	require.Panics(t, func() { emitAll(nil, 1) })
}

// BenchmarkEmitAll takes as long as an addition for each key.
func BenchmarkEmitAll(b *testing.B) {
	const links = 10
	table := NewTable(Config[float64]{Combine: addFloat, Width: 4, Partitions: 1, Expected: 100_000})
	defer table.Close()
	emit := NumberEmitter[int32](table, 1<<31)
	emitAll := NumbersEmitter(table, 1<<31, emit)
	keys := make([]int32, 1<<20)
	for i := range keys {
		keys[i] = int32(uint32(i) * 2654435761 >> 8 % 100_000)
	}
	emitAll(keys, 1)
	b.Run("one by one", func(b *testing.B) {
		for i := range b.N {
			emit(keys[i&(1<<20-1)], 1)
		}
	})
	b.Run("ten at once", func(b *testing.B) {
		for i := 0; i < b.N; i += links {
			emitAll(keys[i&(1<<19-1):][:links], 1)
		}
	})
}

// What finds out which sums are there is right about each of 64, whatever the bits of the others.
func TestTakenSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sums [64]uint64
		var want uint64
		for i := range sums {
			sums[i] = rapid.SampledFrom([]uint64{noSum, noSum, 0, 1, noSum | 1, noSum | 1<<32, 1 << 32, 1<<62 | noSum, math.MaxUint64}).Draw(t, "sum")
			if sums[i] != noSum {
				want |= 1 << i
			}
		}
		require.Equal(t, want, plainTaken(&sums))
		require.Equal(t, want, taken(&sums))
	})
}
