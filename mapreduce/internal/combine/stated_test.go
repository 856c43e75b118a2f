package combine

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// numbered returns the key number i, of n bytes; keys of different numbers differ.
func numbered(i, n int) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(i)), make([]byte, n-4)...)
}

// A table charges 1.5 times its cells, twice the slots of values on the heap, its arena, and the
// memory of values. After Close it charges 0.
func TestTablesChargeTheirMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		longest := rapid.SampledFrom([]int{4, 16, 17, 40, 5000}).Draw(t, "longest")
		n := rapid.SampledFrom([]int{0, 1, 255, 256, 257, 3000}).Draw(t, "keys")
		if rapid.Bool().Draw(t, "heap") {
			charged(t, codec(config[string]{combine: longer}), n, longest, 2*16, "value")
		} else {
			charged(t, config[int64]{Options: Options{Sum: true}}, n, longest, 0, 1)
		}
	})
}

func charged[V any](t *rapid.T, cfg config[V], n, longest int, slots int64, v V) {
	const cellBytes = 32
	budget := memory.NewBudget(1 << 40).Sub()
	cfg.Budget, cfg.Partitions = budget, 1
	table := newTable(cfg)
	for i := range n {
		table.emit(numbered(i, max(4, i%(longest+1))), v)
		if i%100 != 0 {
			continue
		}
		size := table.acc.hash.size
		require.Zero(t, size&(size-1), "a power of two")
		require.LessOrEqual(t, 2*table.acc.hash.n, size, "half full at most")
		require.True(t, size == firstCells || 16*table.acc.hash.n >= size, "%d keys in %d cells", table.acc.hash.n, size)
		want := int64(size*cellBytes/2*3) + slots*int64(size/2) + int64(cap(table.acc.hash.arena)) + table.acc.heap.charged
		require.Equal(t, want, budget.Used())
		require.LessOrEqual(t, table.acc.heap.estimate, table.acc.heap.charged)
	}
	table.Close()
	require.Zero(t, budget.Used())
}

// The blocks of a packed partition double in size up to a limit, and small blocks of all partitions
// share slabs.
func TestPackedBlocksAreSmall(t *testing.T) {
	for _, partitions := range []int{1, 2, 31, 32, 33, 100, 512, 513, 2000} {
		next := -1
		table := newTable(config[int64]{Options: Options{Sum: true, Partitions: partitions, Partition: func([]byte) int {
			next++
			return next
		}}})
		for i := range partitions {
			table.emit(numbered(i, 8), 1)
		}
		table.acc.flush()
		d := table.acc.pack(table.acc.keys())
		first := min(max(256, (128<<10)/partitions), 4<<10)
		want := partitions * first // of slabs of their own
		if first < 4<<10 {
			each := (64 << 10) / first
			want = (partitions + each - 1) / each * (64 << 10)
		}
		require.EqualValues(t, want, d.bytes, "%d partitions", partitions)
		for i := range d.parts {
			require.EqualValues(t, 1, d.parts[i].n)
			require.EqualValues(t, 16, d.parts[i].bytes)
			require.Equal(t, first, cap(d.parts[i].full[0]))
		}
		table.Close()
	}
	table := newTable(config[int64]{Options: Options{Sum: true, Partitions: 1}})
	defer table.Close()
	for i := range 30_000 {
		table.emit(numbered(i, 40), 1)
	}
	table.acc.flush()
	d := table.acc.pack(table.acc.keys())
	size := 4 << 10
	for _, b := range d.parts[0].full {
		require.Equal(t, size, cap(b))
		size = min(2*size, 256<<10)
	}
	require.EqualValues(t, 30_000, d.parts[0].n)
	require.EqualValues(t, 30_000*48, d.parts[0].bytes)
}

// In a large table's output, slabs so small that they are on the Go heap have only the partitions'
// first blocks and 64 KiB more.
func TestPackedBlocksShareSlabs(t *testing.T) {
	const partitions = 16
	table := newTable(config[int64]{Options: Options{Sum: true, Partitions: partitions}})
	defer table.Close()
	for i := range 100_000 {
		table.emit(numbered(i, 8), 1)
	}
	table.acc.flush()
	d := table.acc.pack(table.acc.keys())
	onHeap := 0
	for _, s := range d.slabs {
		if len(s.Bytes) < 64<<10 {
			onHeap += len(s.Bytes)
		}
	}
	require.LessOrEqual(t, onHeap, partitions*4<<10+64<<10)
	blocks := int64(0)
	for i := range d.parts {
		for _, b := range d.parts[i].full {
			blocks += int64(cap(b))
		}
	}
	require.LessOrEqual(t, d.bytes, blocks/4*5, "what is shared is used")
}

// A key longer than any block gets a block of its own size.
func TestLongValuesGetBlocks(t *testing.T) {
	key := []byte(strings.Repeat("k", 300<<10))
	table := newTable(config[int64]{Options: Options{Sum: true, Partitions: 1}})
	table.emit([]byte("a"), 1)
	table.emit(key, 2)
	table.emit([]byte("b"), 3)
	out, _, err := table.Finish()
	require.NoError(t, err)
	m := newMerge(config[int64]{Options: Options{Sum: true}}, out)
	defer m.Close()
	out[0].Release()
	for _, want := range []struct {
		key string
		v   int64
	}{{"a", 1}, {"b", 3}, {string(key), 2}} {
		k, v, ok := m.Next()
		require.True(t, ok)
		require.True(t, want.key == string(k))
		require.Equal(t, want.v, v)
	}
}

// A merge expects 1.25 times the keys of its largest in-memory segment, unless Options.Distinct is
// set.
func TestMergesExpectALittleMoreThanTheLargest(t *testing.T) {
	var all []*Segment
	for _, n := range []int{40, 100, 0, 60} {
		table := newTable(config[int64]{Options: Options{Sum: true, Partitions: 1}})
		for i := range n {
			table.emit(numbered(i, 8), 1)
		}
		out, stats, err := table.Finish()
		require.NoError(t, err)
		require.EqualValues(t, n, stats.Output)
		require.EqualValues(t, 16*n, stats.Bytes)
		require.EqualValues(t, 16*n, stats.OutputBytes)
		all = append(all, out...)
	}
	for told, want := range map[int]int{0: 125, 7: 7} {
		m := newMerge(config[int64]{Options: Options{Sum: true, Distinct: told}}, all)
		require.Equal(t, want, m.acc.opt.Distinct)
		m.Close()
	}
	for _, s := range all {
		s.Release()
	}
}

// After any growth a table finds each key that it has, so that the output has one record per key.
func TestGrownTablesFindTheirKeys(t *testing.T) {
	for _, long := range []int{4, 15, 40} {
		table := newTable(config[int64]{Options: Options{Sum: true, Partitions: 1}})
		const keys = 100_000
		for range 2 {
			for i := range keys {
				table.emit(numbered(i, long), 1)
			}
		}
		out, stats, err := table.Finish()
		require.NoError(t, err)
		require.EqualValues(t, keys, stats.Output, "keys of %d bytes", long)
		out[0].Release()
	}
}
