package segment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// All spills share at most eight unnamed files. A new spill uses the space of a released one, and
// the files are removed with the last spill.
func TestSpillsShareFiles(t *testing.T) {
	dir := t.TempDir()
	files := NewFiles(dir)
	rng := rand.New(rand.NewPCG(3, 4))
	type spill struct {
		*Spill
		want []byte
	}
	var live []spill
	for range 150 {
		x := must(files.NewSpill())(t)
		want := make([]byte, rng.IntN(3*extentSize))
		for i := range want {
			want[i] = byte(rng.Uint32())
		}
		require.Equal(t, len(want), must(x.Write(want))(t))
		live = append(live, spill{x, want})
		if len(live) == 20 {
			i := rng.IntN(len(live))
			live[i].Release()
			live = append(live[:i], live[i+1:]...)
		}
	}
	for _, x := range live {
		got := make([]byte, len(x.want))
		_, err := x.ReadAt(got, 0)
		require.True(t, len(got) == 0 || err == nil, "%v", err)
		require.True(t, bytes.Equal(x.want, got))
		_, err = x.ReadAt(got[:min(len(got), 1)], x.size)
		require.True(t, len(got) == 0 || err != nil, "a spill ends")
	}
	extents := uint32(0)
	for _, f := range files.files {
		if f != nil {
			extents += f.end
		}
	}
	require.Less(t, extents, uint32(20*3+8*3*3), "extents are used again")
	left := must(os.ReadDir(dir))(t)
	require.LessOrEqual(t, len(left), maxFiles) // 0 on systems that can remove an open file
	for _, x := range live {
		x.Release()
	}
	require.Equal(t, [maxFiles]*extentFile{}, files.files)
	left = must(os.ReadDir(dir))(t)
	require.Empty(t, left)
}

// A block in another's place, which a lost write or a broken disk leaves there, is detected as
// damage: one of an earlier spill, of another section, or of another place in the section.
func TestBlockInAWrongPlaceIsDamage(t *testing.T) {
	files := NewFiles(t.TempDir())
	hold := must(files.NewSpill())(t) // keeps the file
	defer hold.Release()
	random, id := rand.NewChaCha8([32]byte{}), uint64(0)
	blocks := func() (segments []*Segment, f File, list [][]byte) { // two sections of two blocks, all of one size
		files.made = id // the spill is in the first file, at its start
		id += maxFiles
		w := must(NewSpillWriter(Resources{Files: files}, 2))(t)
		defer w.Close()
		for range 2 {
			for range 2 {
				value := make([]byte, blockSize/2)
				must(random.Read(value))(t)
				require.NoError(t, w.Add([]byte("key"), value))
			}
			require.NoError(t, w.EndPartition())
		}
		s := w.Spill(new(Stats))
		defer s.Release()
		all := make([]byte, s.size)
		must(s.file.f.ReadAt(all, 0))(t)
		segments = []*Segment{OfSpills([]*Spill{s}, 0), OfSpills([]*Spill{s}, 1)}
		return segments, s.file.f, slices.Collect(slices.Chunk(all, len(all)/4))
	}
	earlier, _, old := blocks()
	for _, s := range earlier {
		s.Release()
	}
	for place := range 4 {
		late, f, now := blocks()
		read := func(block []byte) error {
			must(f.WriteAt(block, int64(place*len(block))))(t)
			m := NewMerge(MergeConfig{}, late[place/2:][:1])
			defer m.Close()
			for {
				if _, _, ok := m.Next(); !ok {
					return m.Err()
				}
			}
		}
		for from, block := range append(now, old[place]) {
			err := read(block)
			if from == place {
				require.NoError(t, err)
				continue
			}
			var d *DamageError
			require.ErrorAs(t, err, &d, "block %d in place %d", from, place)
			require.Equal(t, []int{0}, d.Inputs)
		}
		for _, s := range late {
			s.Release()
		}
	}
}

// sorted adds n records with keys by number from key. It returns the sorter, and the records of
// partition 0 in the expected order.
func sorted(t *testing.T, cfg Config, least int64, n int, key func(i int) int, value func(i int) []byte) (*Sorter, []string) {
	t.Helper()
	s := NewSorter(cfg)
	s.minStore = least
	var a attempt
	for i := range n {
		k := fmt.Appendf(nil, "the key %d", key(i))
		a.records = append(a.records, record{k, bytes.Clone(value(i))})
		a.partitions = append(a.partitions, PartitionOf(k, cfg.Partitions))
		require.NoError(t, s.Add(a.partitions[i], k, value(i)))
	}
	return s, oracle([]attempt{a}, 0)
}

// few returns a function that draws the number of one of `keys` keys, at random.
func few(keys int) func(int) int {
	rng := rand.New(rand.NewPCG(13, uint64(keys)))
	return func(int) int { return rng.IntN(keys) }
}

func number(i int) []byte { return fmt.Append(nil, i) }

// A sorter bundles the values of repeated keys into few entries. It stops if keys do not repeat or
// are too many. The output is the same.
func TestBundles(t *testing.T) {
	const records = 20_000
	for name, c := range map[string]struct {
		key     func(int) int
		value   func(int) []byte
		entries int
	}{
		"one":           {few(1), number, bundleAfter + 250},
		"few":           {few(700), number, bundleAfter + 4000},
		"thousands":     {few(2500), number, bundleAfter + 12_000},
		"distinct":      {func(i int) int { return i }, number, records + 1},
		"at first few":  {func(i int) int { return max(i%10, i-10_000) }, number, records - 8_000},
		"without value": {few(10), func(int) []byte { return nil }, bundleAfter + 500},
		"large values":  {few(10), func(i int) []byte { return make([]byte, bundledValue+i/19_999) }, bundleAfter + 4_000},
	} {
		t.Run(name, func(t *testing.T) {
			s, want := sorted(t, Config{Partitions: 2}, minRun, records, c.key, c.value)
			segments, stats, err := s.Finish()
			require.NoError(t, err)
			require.EqualValues(t, records, stats.Records)
			entries := 0
			for _, seg := range segments {
				for r := range seg.runs() {
					entries += r.entries.n
				}
			}
			require.LessOrEqual(t, entries, c.entries)
			if name != "large values" { // too large to print on a failure
				m := NewMerge(MergeConfig{}, segments[:1])
				require.Equal(t, want, drain(t, m))
				m.Close()
			}
		})
	}
}
