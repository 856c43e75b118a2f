package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// watchedWriter records the size of each write, and the most memory charged during one.
type watchedWriter struct {
	bytes.Buffer
	budget *memory.Budget
	sizes  []int
	most   int64
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	w.sizes = append(w.sizes, len(p))
	w.most = max(w.most, w.budget.Used())
	return w.Buffer.Write(p)
}

// Records are written in pieces that fill the charged buffer with whole records, from memory or a
// file. A record larger than the buffer is a piece of its own.
func TestOutputIsWrittenInPieces(t *testing.T) {
	for _, c := range []struct {
		name       string
		limit      int64
		key, value int
		layout     Layout
	}{
		{"in memory", 0, 10, 89, Layout{Key: true, Value: true, End: []byte("\n")}},
		{"keys in memory", 0, 98, 7, Layout{Key: true, End: []byte("\r\n")}},
		{"long ends", 0, 10, 60, Layout{Key: true, Value: true, End: bytes.Repeat([]byte("-"), 47)}},
		{"values", 0, 10, 90, Layout{Value: true, End: []byte("\n")}},
		{"separated", 0, 40, 60, Layout{Key: true, Value: true, Separator: []byte("\t"), End: []byte("\n")}},
		{"from a file", 1, 40, 60, Layout{Key: true, Value: true, Separator: []byte("\t"), End: []byte("\n")}},
		{"large", 0, 10, gatherSize, Layout{Key: true, Value: true, Separator: []byte("\t"), End: []byte("\n")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var records []record
			var want bytes.Buffer
			n := 3*gatherSize/(c.key+c.value) + 3
			for i := range n {
				r := record{fmt.Appendf(nil, "%0*d", c.key, i), bytes.Repeat([]byte{byte('a' + i%26)}, c.value)}
				records = append(records, r)
				if c.layout.Key {
					want.Write(r.key)
				}
				want.Write(c.layout.Separator)
				if c.layout.Value {
					want.Write(r.value)
				}
				want.Write(c.layout.End)
			}
			seg := sortOne(t, Config{Budget: memory.NewBudget(c.limit).Sub(), SpillDir: t.TempDir()}, records...)
			defer seg.Release()
			budget := memory.NewBudget(1 << 30).Sub()
			m := NewMerge(MergeConfig{Budget: budget}, []*Segment{seg})
			w := &watchedWriter{budget: budget}
			got, written, err := m.WriteTo(w, c.layout)
			require.NoError(t, err)
			require.EqualValues(t, n, got)
			require.EqualValues(t, want.Len(), written)
			require.True(t, bytes.Equal(want.Bytes(), w.Bytes()))
			one := want.Len() / n
			for i, size := range w.sizes {
				require.LessOrEqual(t, size, gatherSize)
				if one <= gatherSize && i < len(w.sizes)-1 {
					require.Greater(t, size, gatherSize-one)
				}
			}
			require.GreaterOrEqual(t, w.most, int64(min(gatherSize, want.Len())), "the buffer is paid for")
			m.Close()
			require.Zero(t, budget.Used())
		})
	}
}

// A reduce of few records charges a small output buffer.
func TestSmallOutputsTakeSmallBuffers(t *testing.T) {
	seg := sortOne(t, Config{}, record{[]byte("key"), bytes.Repeat([]byte("v"), 4000)})
	defer seg.Release()
	l := Layout{Key: true, Value: true, Separator: bytes.Repeat([]byte("-"), 80), End: bytes.Repeat([]byte("="), 13)}
	m := NewMerge(MergeConfig{}, []*Segment{seg})
	defer m.Close()
	require.EqualValues(t, 4096, l.size(m))
	budget := memory.NewBudget(1 << 30).Sub()
	m.cfg.Budget = budget
	w := &watchedWriter{budget: budget}
	_, _, err := m.WriteTo(w, l)
	require.NoError(t, err)
	require.Equal(t, []int{4096}, w.sizes)
	require.Less(t, w.most, int64(10_000))
}

// A sorter refers to a pinned chunk's bytes if the budget has room for twice as many. Otherwise it
// copies the records and releases the chunk at once.
func TestChunksAreAdoptedWithRoomForTheirIndex(t *testing.T) {
	for room, want := range map[int64]bool{1999: false, 2000: true, 5000: true} {
		budget := memory.NewBudget(room).Sub()
		s := newStore(budget, nil)
		gone := 0
		p := newPin(make([]byte, 1000), func() { gone++ })
		_, ok := s.adopt(p)
		require.Equal(t, want, ok, "room for %d", room)
		if ok {
			require.EqualValues(t, 1000, budget.Used())
			require.EqualValues(t, 1000, s.pinned)
		} else {
			require.Zero(t, budget.Used())
		}
		p.drop()
		require.Equal(t, !ok, gone == 1)
		s.drop()
		require.Equal(t, 1, gone)
		require.Zero(t, budget.Used())
	}
}

// If more runs exist than can be read at once, as few as possible are merged first, and these are
// the first ones.
func TestNoMoreIsMergedThanNeeded(t *testing.T) {
	for _, c := range []struct {
		runs, fanIn     int
		passes, written int64 // written: records, of which each run has one
	}{{2, 2, 0, 0}, {4, 4, 0, 0}, {3, 2, 1, 2}, {5, 4, 1, 2}, {7, 4, 1, 4}, {8, 4, 2, 6}, {14, 13, 1, 2}, {5, 2, 3, 7}} {
		var segments []*Segment
		for i := range c.runs {
			segments = append(segments, sortOne(t, Config{Budget: memory.NewBudget(1).Sub(), SpillDir: t.TempDir()},
				record{[]byte{byte('z' - i)}, []byte{byte(i)}}))
		}
		m := NewMerge(MergeConfig{FanIn: c.fanIn, SpillDir: t.TempDir()}, segments)
		list := drain(t, m)
		require.Len(t, list, c.runs)
		require.True(t, slices.IsSorted(list))
		require.Equal(t, c.passes, m.Stats().Spills, "%+v", c)
		require.Equal(t, c.written, m.Stats().SpilledRecords, "%+v", c)
		require.Equal(t, 2*c.written, m.Stats().SpilledBytes)
		m.Close()
		for _, s := range segments {
			s.Release()
		}
	}
}

// A merge reads as many runs at once as the budget allows: all of up to four, and at most 256.
func TestFanInFollowsTheBudget(t *testing.T) {
	one := section{raw: 3000, packed: 1000}
	for _, c := range []struct {
		files int
		room  int64
		want  int
	}{{1, 1, 1}, {3, 1, 3}, {4, 1, 4}, {9, 1, 4}, {9, 5, 5}, {9, 6, 6}, {9, 9, 9}, {9, 100, 9}, {300, 1000, maxFanIn}} {
		m := &Merge{cfg: MergeConfig{Budget: memory.NewBudget(c.room * readerBytes(&one)).Sub()}}
		for range c.files {
			m.files = append(m.files, run{section: one})
		}
		require.Equal(t, c.want, m.fanIn(), "%+v", c)
	}
}

// One sort of in-memory records has at most as many regions as 16 bits can number, but at least one
// run. It copies as many of these as the budget allows.
func TestPortionsFitTheirNumbers(t *testing.T) {
	of := func(regionsOf ...int) (list []run) {
		for _, n := range regionsOf {
			list = append(list, run{entries: index{n: 10}, store: &store{regions: make(regions, n)}})
		}
		return list
	}
	m := &Merge{}
	for _, c := range []struct {
		regions []int
		want    int
	}{
		{[]int{1}, 1}, {[]int{maxRegions}, 1}, {[]int{maxRegions - 1, 1, 1}, 2}, {[]int{maxRegions, 1}, 1}, {[]int{1, maxRegions}, 1}, {[]int{1, 2, 3}, 3},
	} {
		n, entries := m.portion(of(c.regions...))
		require.Equal(t, c.want, n, "%v", c.regions)
		require.Equal(t, 10*n, entries)
	}
	for room, want := range map[int64]int{1: 1, 239: 1, 240: 1, 479: 1, 480: 2, 719: 2, 720: 3, 5000: 3} {
		m.cfg.Budget = memory.NewBudget(room).Sub()
		require.Equal(t, want, m.affordable(of(1, 1, 1)), "room for %d bytes", room)
	}
}

// If the two sizes of a damaged record overflow 64 bits together, the run is corrupt, and no memory
// is read by them.
func TestSizesThatOverflow(t *testing.T) {
	for _, sizes := range [][2]uint64{{1<<64 - 1, 2}, {2, 1<<64 - 1}, {1 << 63, 1 << 63}, {1<<64 - 1, 1<<64 - 1}} {
		p := binary.AppendUvarint(binary.AppendUvarint(nil, sizes[0]), sizes[1])
		b := &blockReader{rest: append(p, "a record's bytes"...), x: section{bytes: 100}}
		_, _, _, ok := b.next()
		require.False(t, ok)
		require.ErrorIs(t, b.err, ErrCorrupt)
	}
}
