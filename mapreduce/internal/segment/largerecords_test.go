package segment

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// TestLargeRecordsAreChargedToTheMerge merges spilled runs of records of megabytes, which
// cannot be compressed: blocks in hand are charged, and no more runs are read at once than
// the budget bears.
func TestLargeRecordsAreChargedToTheMerge(t *testing.T) {
	const size, attempts, limit = 2 << 20, 8, 20 << 20
	rng := rand.NewChaCha8([32]byte{1})
	var segments []*Segment
	for i := range attempts {
		var records []record
		for j := range 2 {
			v := make([]byte, size)
			_, _ = rng.Read(v) // never fails
			records = append(records, record{[]byte{byte(j), byte(attempts - i)}, v})
		}
		segments = append(segments, sortOne(t, Config{Budget: memory.NewBudget(1).Sub(), SpillDir: t.TempDir()}, records...))
	}
	root := memory.NewBudget(limit)
	m := NewMerge(MergeConfig{Budget: root.Sub(), SpillDir: t.TempDir()}, segments)
	var last []byte
	n := 0
	for k, v, ok := m.Next(); ok; k, v, ok = m.Next() {
		require.Len(t, v, size)
		require.Negative(t, bytes.Compare(last, k))
		last = bytes.Clone(k)
		n++
	}
	require.NoError(t, m.Err())
	require.Equal(t, 2*attempts, n)
	require.Positive(t, m.Stats().Spills, "in passes")
	m.Close()
	require.Zero(t, root.Used())
	// Two readers of a block, packed and unpacked, rounded up to 8 MiB, and a writer.
	require.Greater(t, root.Peak(), int64(2*8<<20))
	require.LessOrEqual(t, root.Peak(), int64(limit))

	m = NewMerge(MergeConfig{}, segments)
	_, written, err := m.WriteTo(io.Discard, Layout{Value: true})
	require.NoError(t, err)
	require.EqualValues(t, 2*attempts*size, written)
	m.Close()
	for _, s := range segments {
		s.Release()
	}
}
