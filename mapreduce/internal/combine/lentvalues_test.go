package combine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// An emit copies no value to the heap if Combine only reads it.
func TestLentValuesTakeNoMemory(t *testing.T) {
	table := newTable(withJSON(config[[]byte]{Options: Options{Partitions: 1}, combine: func(a, _ []byte) []byte { return a }}))
	defer table.Close()
	key, value := []byte("key"), []byte("a value of some bytes")
	emitReused(table, key, value)
	require.Zero(t, testing.AllocsPerRun(10_000, func() { emitReused(table, key, value) }))
}

// An emit through a shut gate panics before it writes to the buffer of waiting values.
func TestNothingIsLentThroughAShutGate(t *testing.T) {
	table := newTable(withJSON(config[[]byte]{Options: Options{Partitions: 1}, combine: func(a, _ []byte) []byte { return a }}))
	defer table.Close()
	table.Gate().Shut()
	require.PanicsWithValue(t, memory.Outside, func() { emitReused(table, []byte("key"), []byte("value")) })
	require.Nil(t, table.acc.heap.lent)
}
