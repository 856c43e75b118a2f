package segment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// exportOf returns the export of a segment of n records, with a spill after each perSpill records.
func exportOf(t testing.TB, n, perSpill int) []byte {
	s := NewSorter(Config{Resources: resources(t, 0), Partitions: 1, Stored: true})
	for i := range n {
		require.NoError(t, s.Add(0, fmt.Append(nil, i), []byte("value")))
		if i%perSpill == perSpill-1 {
			require.NoError(t, s.spill(nil))
		}
	}
	list, _, err := s.Finish()
	require.NoError(t, err)
	defer list[0].Release()
	return exported(t, list[0])
}

func exported(t require.TestingT, s *Segment) []byte {
	var b bytes.Buffer
	require.NoError(t, s.Export(&b))
	return b.Bytes()
}

// imported exports s, releases it, and returns an import from pieces of size bytes in random order.
// A second export must have the same bytes.
func imported(t require.TestingT, files *Files, s *Segment, size int) *Segment {
	b := exported(t, s)
	s.Release()
	s = must(importOf(files, b, size, rand.New(rand.NewPCG(1, uint64(len(b))))))(t)
	require.True(t, bytes.Equal(b, exported(t, s)))
	return s
}

// importOf imports b as a segment, in pieces of size bytes in random order.
func importOf(files *Files, b []byte, size int, rng *rand.Rand) (*Segment, error) {
	im, err := NewImport(files)
	if err != nil {
		return nil, err
	}
	defer im.Close()
	n := (len(b) + size - 1) / size
	for _, i := range rng.Perm(n) {
		if err := im.Add(int64(i*size), b[i*size:min((i+1)*size, len(b))]); err != nil {
			return nil, err
		}
	}
	return im.Segment()
}

// A missing, doubled or changed piece is an error, at once or when the records are read.
func TestImportDamaged(t *testing.T) {
	const records = 5000
	b := exportOf(t, records, 2000)
	read := func(at []int64, pieces ...[]byte) error {
		im := must(NewImport(NewFiles(t.TempDir())))(t)
		defer im.Close()
		for i, p := range pieces {
			if err := im.Add(at[i], p); err != nil {
				return err
			}
		}
		seg, err := im.Segment()
		if err != nil {
			return err
		}
		m := NewMerge(MergeConfig{}, []*Segment{seg})
		seg.Release()
		defer m.Close()
		n := 0
		for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
			n++
		}
		if m.Err() == nil {
			require.Equal(t, records, n)
		}
		return m.Err()
	}
	half := int64(len(b) / 2)
	require.NoError(t, read([]int64{half, 0}, b[half:], b[:half]))
	for name, err := range map[string]error{
		"nothing":        read(nil),
		"a lost half":    read([]int64{0}, b[:half]),
		"the other half": read([]int64{half}, b[half:]),
		"twice":          read([]int64{0, half, half}, b[:half], b[half:], b[half:]),
		"more":           read([]int64{0}, append(bytes.Clone(b), 0)),
		"a gap":          read([]int64{0, half + 1}, b[:half], b[half:]),
		"before":         read([]int64{-1}, b),
		"far":            read([]int64{1 << 60}, b),
		"swapped":        read([]int64{0, int64(len(b)) - half}, b[half:], b[:half]),
		"cut short":      read([]int64{0}, b[:len(b)-1]),
	} {
		require.ErrorIs(t, err, ErrCorrupt, name)
	}
	for i := 0; i < len(b); i += 1 + len(b)/300 {
		c := bytes.Clone(b)
		c[i] ^= 0x10
		require.ErrorIs(t, read([]int64{0}, c), ErrCorrupt, "byte %d", i)
	}
}

// Export returns ErrNotStored for a segment in memory, rather than omit its records.
func TestExportFromMemory(t *testing.T) {
	s := NewSorter(Config{Partitions: 1})
	require.NoError(t, s.Add(0, []byte("k"), []byte("v")))
	list, _, err := s.Finish()
	require.NoError(t, err)
	defer list[0].Release()
	require.ErrorIs(t, list[0].Export(&bytes.Buffer{}), ErrNotStored)
}

// Once an import and its segments are released, their spill files are removed.
func TestImportReleases(t *testing.T) {
	b := exportOf(t, 2, 1)
	files, budget := NewFiles(t.TempDir()), memory.NewBudget(0)
	seg := must(importOf(files, b, 10, rand.New(rand.NewPCG(1, 1))))(t)
	require.Len(t, slices.Collect(seg.runs()), 2)
	m := NewMerge(MergeConfig{Resources: Resources{Budget: budget}}, []*Segment{seg})
	seg.Release()
	require.Equal(t, []string{"0=value", "1=value"}, drain(t, m))
	m.Close()
	for _, f := range files.files {
		require.Nil(t, f)
	}
	require.Zero(t, budget.Used())
}

// For any bytes received, an import returns ErrCorrupt or a segment that can be read.
func FuzzImport(f *testing.F) {
	f.Add(exportOf(f, 2, 1), 16)
	f.Add(exportOf(f, 0, 1), 3)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		seg, err := importOf(NewFiles(t.TempDir()), b, max(size, 1), rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
			return
		}
		m := NewMerge(MergeConfig{}, []*Segment{seg})
		seg.Release()
		defer m.Close()
		for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
		}
		if m.Err() != nil {
			require.ErrorIs(t, m.Err(), ErrCorrupt)
		}
	})
}
