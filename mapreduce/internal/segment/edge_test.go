package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

func sortOne(t *testing.T, cfg Config, records ...record) *Segment {
	t.Helper()
	cfg.Partitions = 1
	s := NewSorter(cfg)
	defer s.Close()
	for _, r := range records {
		require.NoError(t, s.Add(0, r.key, r.value))
	}
	out, _, err := s.Finish()
	require.NoError(t, err)
	return out[0]
}

// A merge returns all records in order even if its stores have more regions than one entry can
// number.
func TestMoreRegionsThanNumbers(t *testing.T) {
	var segments []*Segment
	for i := range 3 {
		seg := sortOne(t, Config{}, record{[]byte{'a' + byte(2-i)}, []byte{byte(i)}},
			record{[]byte("same"), []byte{byte(i)}})
		s := seg.memory.store
		for len(s.regions) < 40_000 {
			s.regions = append(s.regions, nil)
		}
		segments = append(segments, seg)
	}
	m := NewMerge(MergeConfig{Resources: resources(t, 0)}, segments)
	defer m.Close()
	require.Equal(t, []string{"a=\x02", "b=\x01", "c=\x00", "same=\x00", "same=\x01", "same=\x02"}, drain(t, m))
	require.Positive(t, m.Stats().Spills)
}

func TestSpillDirectoryMissing(t *testing.T) {
	missing := resources(t, 1)
	missing.Files = NewFiles(filepath.Join(t.TempDir(), "missing"))
	s := NewSorter(Config{Resources: missing, Partitions: 1})
	require.NoError(t, s.Add(0, []byte("k"), nil))
	_, _, err := s.Finish()
	require.ErrorIs(t, err, os.ErrNotExist)
	s.Close()

	seg := sortOne(t, Config{}, record{[]byte("k"), nil})
	m := NewMerge(MergeConfig{Resources: missing}, []*Segment{seg})
	_, _, ok := m.Next()
	require.False(t, ok)
	require.ErrorIs(t, m.Err(), os.ErrNotExist)
	m.Close()
	seg.Release()
}

type failingWriter struct{ left int }

var errFull = errors.New("disk full")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteToReportsTheWriter(t *testing.T) {
	for _, limit := range []int64{0, 1} {
		var records []record
		for i := range 20_000 {
			records = append(records, record{
				binary.BigEndian.AppendUint32(nil, uint32(i)),
				bytes.Repeat([]byte("v"), 100),
			})
		}
		seg := sortOne(t, Config{Resources: resources(t, limit)}, records...)
		m := NewMerge(MergeConfig{}, []*Segment{seg})
		_, _, err := m.WriteTo(&failingWriter{left: 1 << 20}, Layout{Value: true})
		require.ErrorIs(t, err, errFull)
		m.Close()
		seg.Release()
	}
}

// Several goroutines can merge the same segments at once, as speculative attempts at a reduce do.
func TestConcurrentReaders(t *testing.T) {
	var records []record
	for i := range 5000 {
		records = append(records, record{binary.LittleEndian.AppendUint16(nil, uint16(i*7919)), []byte{byte(i)}})
	}
	segments := []*Segment{
		sortOne(t, Config{}, records...),
		sortOne(t, Config{Resources: resources(t, 1)}, records...),
	}
	outputs := make([]bytes.Buffer, 4)
	var wg sync.WaitGroup
	for i := range outputs {
		m := NewMerge(MergeConfig{}, segments)
		wg.Go(func() {
			defer m.Close()
			for k, v, ok := m.Next(); ok; k, v, ok = m.Next() {
				outputs[i].Write(k)
				outputs[i].Write(v)
			}
		})
	}
	for _, s := range segments {
		s.Release()
	}
	wg.Wait()
	require.Equal(t, 2*5000*3, outputs[0].Len())
	for i := range outputs[1:] {
		require.True(t, bytes.Equal(outputs[0].Bytes(), outputs[i+1].Bytes()))
	}
}

// Any bytes as a run give an error, or as many records as the section says, and no panic.
func FuzzReader(f *testing.F) {
	w := must(NewSpillWriter(resources(f, 0), 1))(f)
	for i := range 300 {
		n := i
		if i%100 == 50 {
			n += 2 * blockSize
		}
		require.NoError(f, w.Add(bytes.Repeat([]byte{byte(i)}, n), []byte("value")))
	}
	require.NoError(f, w.EndPartition())
	run := make([]byte, w.spill.size)
	must(w.spill.ReadAt(run, 0))(f)
	w.Close()
	f.Add(run, int64(300))
	f.Add(run[:len(run)-1], int64(300))
	f.Add([]byte{}, int64(0))
	f.Add(make([]byte, 16), int64(1))
	f.Fuzz(func(t *testing.T, data []byte, records int64) {
		for _, ordinals := range []bool{false, true} {
			r := newBlockReader(bytes.NewReader(data), section{
				size: int64(len(data)), records: records, raw: blockSize, packed: uint32(len(data)),
				bytes: 1 << 40,
			}, ordinals, Resources{})
			n := int64(0)
			for {
				if _, _, _, ok := r.next(); !ok {
					break
				}
				for n++; len(r.more()) > 0; { // the rest of a record larger than a block
				}
			}
			if r.err != nil {
				require.ErrorIs(t, r.err, ErrCorrupt)
			} else {
				require.Equal(t, records, n)
			}
			r.close()
		}
	})
}

// A section's reader and writer charge the memory of their buffers, and return it on close.
func TestReadersAndWritersChargeWhatTheyHold(t *testing.T) {
	for _, raw := range []uint32{1, 2000, 4000, blockSize} {
		for _, packed := range []uint32{1, raw/2 + 1, raw, raw + 40} {
			budget := memory.NewBudget(1 << 20).Sub()
			x := section{raw: raw, packed: packed}
			r := newBlockReader(bytes.NewReader(nil), x, false, Resources{Budget: budget})
			require.Equal(t, int64(len(r.slab.Bytes)), budget.Used(), "%d and %d bytes", raw, packed)
			require.Equal(t, budget.Used(), readerBytes(&x))
			require.GreaterOrEqual(t, len(r.slab.Bytes), int(raw+packed)+blockHeader)
			r.close()
			require.Zero(t, budget.Used())
		}
	}
	res := resources(t, 1<<20)
	w := must(NewSpillWriter(res, 1))(t)
	require.Equal(t, int64(len(w.slab.Bytes)), res.Budget.Used())
	w.Close()
	require.Zero(t, res.Budget.Used())
}

// Spills and merges of records of megabytes hold only the record that Next returns. The budget is
// below one record, the records cannot be compressed, and their keys differ only at the ends.
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
		res := Resources{Budget: root.Sub(), Files: NewFiles(t.TempDir())}
		segments = append(segments, sortOne(t, Config{Resources: res}, records...))
	}
	require.LessOrEqual(t, root.Peak(), int64(small), "records go straight into runs")
	merge := func(fanIn int) (*Merge, *memory.Budget) {
		root := memory.NewBudget(small)
		res := Resources{Budget: root.Sub(), Files: NewFiles(t.TempDir())}
		return NewMerge(MergeConfig{Resources: res, FanIn: fanIn}, segments), root
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

// A reader that must hold each record whole rejects one that is larger than its bound, before a
// spill or after. A record that is only passed on has no bound.
func TestRecordsTooLargeToHold(t *testing.T) {
	const most = 2 << 20
	value := make([]byte, most)
	add := func(largest int64, value []byte) ([]*Segment, error) {
		s := NewSorter(Config{Resources: resources(t, 1), Partitions: 1, Largest: largest})
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

	fits := must(add(most, value[3:]))(t)
	spilled := must(add(0, value))(t)
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
