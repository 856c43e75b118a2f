package segment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// exportOf returns the records' export for each partition, from spills of about perSpill records.
func exportOf(t testing.TB, records [][2]string, partitions, perSpill int) [][]byte {
	s := NewSorter(Config{Partitions: partitions, Stored: true, SpillDir: t.TempDir()})
	for i, r := range records {
		require.NoError(t, s.Add(PartitionOf([]byte(r[0]), partitions), []byte(r[0]), []byte(r[1])))
		if perSpill > 0 && i%perSpill == perSpill-1 {
			require.NoError(t, s.spill(nil))
		}
	}
	list, _, err := s.Finish()
	require.NoError(t, err)
	var out [][]byte
	for _, seg := range list {
		var b bytes.Buffer
		require.NoError(t, seg.Export(&b))
		seg.Release()
		out = append(out, b.Bytes())
	}
	return out
}

// importOf imports b as a segment, in pieces of size bytes in random order.
func importOf(files *Files, b []byte, size int, rng *rand.Rand) (*Segment, error) {
	im, err := NewImport(files, "")
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

// Imported segments merge to the records of the exported ones: sorted, and equal keys in the order
// of emits. Spills, pieces and their order do not matter. A second export has the same bytes.
func TestExportImport(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 1000).Draw(r, "records")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		var records [][2]string
		for i := range n {
			long := 0
			if rng.IntN(500) == 0 {
				long = 90_000 // larger than a block
			}
			records = append(records, [2]string{fmt.Sprint(rng.IntN(400)), fmt.Sprintf("%d:%0*d", i, long, i)})
		}
		partitions := rapid.IntRange(1, 4).Draw(r, "partitions")
		exported := exportOf(t, records, partitions, rapid.IntRange(0, 500).Draw(r, "perSpill"))
		files := NewFiles(t.TempDir())
		other, err := files.create() // moves the spills away from the file's start
		require.NoError(r, err)
		must(other.Write(make([]byte, 3)))(r)
		defer other.Release()
		size := rapid.SampledFrom([]int{1 << 20, extentSize, 1000, 77_777}).Draw(r, "size")
		var want, got []string
		for p, b := range exported {
			seg := must(importOf(files, b, size, rng))(r)
			var again bytes.Buffer
			require.NoError(r, seg.Export(&again))
			require.True(r, bytes.Equal(b, again.Bytes()))
			m := NewMerge(MergeConfig{}, []*Segment{seg})
			seg.Release()
			got = append(got, recordsOf(r, m)...)
			want = append(want, sortedOf(r, records, p, partitions)...)
		}
		require.Equal(r, want, got)
	})
}

// sortedOf returns the records of partition p in the order of a merge.
func sortedOf(t require.TestingT, records [][2]string, p, partitions int) (list []string) {
	s := NewSorter(Config{Partitions: partitions})
	for _, r := range records {
		_ = s.Add(PartitionOf([]byte(r[0]), partitions), []byte(r[0]), []byte(r[1]))
	}
	segments, _, _ := s.Finish()
	list = recordsOf(t, NewMerge(MergeConfig{}, segments[p:p+1]))
	for _, seg := range segments {
		seg.Release()
	}
	return list
}

// recordsOf returns the records of a merge, and closes it.
func recordsOf(t require.TestingT, m *Merge) []string {
	defer m.Close()
	return drain(t, m)
}

// A missing, doubled or changed piece is an error, at once or when the records are read.
func TestImportDamaged(t *testing.T) {
	var records [][2]string
	for i := range 5000 {
		records = append(records, [2]string{fmt.Sprint(i), "value"})
	}
	b := exportOf(t, records, 1, 2000)[0]
	read := func(at []int64, pieces ...[]byte) error {
		im := must(NewImport(NewFiles(t.TempDir()), ""))(t)
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
			require.Equal(t, len(records), n)
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
	b := exportOf(t, [][2]string{{"a", "1"}, {"b", "2"}}, 1, 1)[0]
	files, budget := NewFiles(t.TempDir()), memory.NewBudget(0)
	seg := must(importOf(files, b, 10, rand.New(rand.NewPCG(1, 1))))(t)
	require.Len(t, seg.runs(), 2)
	m := NewMerge(MergeConfig{Budget: budget}, []*Segment{seg})
	seg.Release()
	require.Equal(t, []string{"a=1", "b=2"}, recordsOf(t, m))
	for _, f := range files.files {
		require.Nil(t, f)
	}
	require.Zero(t, budget.Used())
}

// For any bytes received, an import returns ErrCorrupt or a segment that can be read.
func FuzzImport(f *testing.F) {
	f.Add(exportOf(f, [][2]string{{"a", "1"}, {"b", "2"}}, 1, 1)[0], 16)
	f.Add(exportOf(f, nil, 1, 0)[0], 3)
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
