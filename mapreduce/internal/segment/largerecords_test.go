package segment

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// TestLargeRecordsTakeLittleMemory spills and merges records of megabytes, which cannot be
// compressed and whose keys differ only at their ends, with a budget below one record: only the
// record that Next returns is ever held.
func TestLargeRecordsTakeLittleMemory(t *testing.T) {
	const size, attempts, small = 2 << 20, 8, 1 << 20
	rng := rand.NewChaCha8([32]byte{1})
	k := make([]byte, size)
	_, _ = rng.Read(k) // never fails
	root := memory.NewBudget(small)
	var segments []*Segment
	for i := range attempts {
		var records []record
		for j := range 2 {
			records = append(records, record{append(bytes.Clone(k), byte(j), byte(attempts-i)), k[:size/2]})
		}
		segments = append(segments, sortOne(t, Config{Budget: root.Sub(), SpillDir: t.TempDir()}, records...))
	}
	require.LessOrEqual(t, root.Peak(), int64(small), "records go straight into runs")
	merge := func(fanIn int) (*Merge, *memory.Budget) {
		root := memory.NewBudget(small)
		return NewMerge(MergeConfig{Budget: root.Sub(), SpillDir: t.TempDir(), FanIn: fanIn}, segments), root
	}
	for _, fanIn := range []int{0, 2} {
		m, root := merge(fanIn)
		var last []byte
		n := 0
		for k, v, ok := m.Next(); ok; k, v, ok = m.Next() {
			require.Len(t, v, size/2)
			require.Negative(t, bytes.Compare(last, k))
			last = bytes.Clone(k)
			n++
		}
		require.NoError(t, m.Err())
		require.Equal(t, 2*attempts, n)
		m.Close()
		require.Zero(t, root.Used())
		require.LessOrEqual(t, root.Peak(), int64(4<<20+3*small), "one record, and blocks")

		m, root = merge(fanIn)
		_, written, err := m.WriteTo(io.Discard, Layout{Value: true})
		require.NoError(t, err)
		require.EqualValues(t, attempts*size, written)
		m.Close()
		require.Zero(t, root.Used())
		require.LessOrEqual(t, root.Peak(), int64(3*small), "blocks")
	}
	for _, s := range segments {
		s.Release()
	}
}

// A reader that must hold a record as a whole rejects one beyond its bound, before or after a
// spill. A record that is only passed on may have any size.
func TestRecordsTooLargeToHold(t *testing.T) {
	const most = 2 << 20
	value := make([]byte, most)
	add := func(largest int64, value []byte) ([]*Segment, error) {
		s := NewSorter(Config{
			Partitions: 1, Budget: memory.NewBudget(1).Sub(), SpillDir: t.TempDir(),
			Largest: largest,
		})
		if err := s.Add(0, []byte("key"), value); err != nil {
			s.Close()
			return nil, err
		}
		segments, _, err := s.Finish()
		return segments, err
	}
	_, err := add(most, value)
	require.ErrorIs(t, err, memory.ErrRecordTooLarge)
	require.ErrorContains(t, err, "a key with its value of 2097155 bytes is longer than 2097152 bytes")

	fits, err := add(most, value[3:])
	require.NoError(t, err)
	spilled, err := add(0, value)
	require.NoError(t, err)
	for _, c := range []struct {
		segments []*Segment
		read     int
		err      error
	}{{fits, 1, nil}, {spilled, 0, memory.ErrRecordTooLarge}} {
		m := NewMerge(MergeConfig{Largest: most}, c.segments)
		n := 0
		for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
			n++
		}
		require.Equal(t, c.read, n)
		require.ErrorIs(t, m.Err(), c.err)
		m.Close()
	}
	m := NewMerge(MergeConfig{Largest: most}, spilled)
	_, written, err := m.WriteTo(io.Discard, Layout{Value: true})
	require.NoError(t, err)
	require.EqualValues(t, most, written)
	m.Close()
	for _, s := range append(fits, spilled...) {
		s.Release()
	}
}
