package combine

import (
	"encoding/binary"
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
			charged(t, withJSON(config[string]{combine: longer}), n, longest, 2*16, "value")
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

// One key in each of many partitions takes little memory: their first blocks are small.
func TestPackedBlocksAreSmall(t *testing.T) {
	const partitions = 2000
	table := newTable(config[int64]{Options: Options{Sum: true, Partitions: partitions}})
	defer table.Close()
	for i := range partitions {
		table.emit(numbered(i, 8), 1)
	}
	table.acc.flush()
	require.LessOrEqual(t, table.acc.pack(table.acc.keys()).bytes, int64(partitions*320))
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
