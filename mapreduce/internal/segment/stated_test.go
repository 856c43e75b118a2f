package segment

import (
	"bytes"
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
// file. A record larger than the buffer is a piece of its own, and few records have a small buffer.
func TestOutputIsWrittenInPieces(t *testing.T) {
	for _, c := range []struct {
		name       string
		limit      int64
		key, value int
		layout     Layout
	}{
		{"few", 0, 10, 900, Layout{Key: true, Value: true, Separator: []byte("\t"), End: []byte("\n")}},
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
			if c.name == "few" {
				n = 3
			}
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
			seg := sortOne(t, Config{Resources: resources(t, c.limit)}, records...)
			defer seg.Release()
			budget := memory.NewBudget(1 << 30).Sub()
			m := NewMerge(MergeConfig{Resources: Resources{Budget: budget}}, []*Segment{seg})
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
			buffer := min(gatherSize, want.Len())
			require.GreaterOrEqual(t, w.most, int64(buffer), "the buffer is paid for")
			require.Less(t, w.most, int64(3*buffer))
			m.Close()
			require.Zero(t, budget.Used())
		})
	}
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
			segments = append(segments, sortOne(t, Config{Resources: resources(t, 1)},
				record{[]byte{byte('z' - i)}, []byte{byte(i)}}))
		}
		m := NewMerge(MergeConfig{Resources: resources(t, 0), FanIn: c.fanIn}, segments)
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
		m := &Merge{cfg: MergeConfig{Resources: resources(t, c.room*readerBytes(&one))}}
		for range c.files {
			m.files = append(m.files, run{section: &one})
		}
		require.Equal(t, c.want, m.fanIn(), "%+v", c)
	}
}

// One sort of in-memory records has at most as many regions as 16 bits can number, and as many runs
// as the budget allows, but at least one run.
func TestPortionsFitTheirNumbers(t *testing.T) {
	for _, c := range []struct {
		regions []int // of runs of 10 entries
		room    int64
		want    int
	}{
		{[]int{1}, 0, 1},
		{[]int{maxRegions}, 0, 1},
		{[]int{maxRegions - 1, 1, 1}, 0, 2},
		{[]int{maxRegions, 1}, 0, 1},
		{[]int{1, maxRegions}, 0, 1},
		{[]int{1, 2, 3}, 0, 3},
		{[]int{1, 1, 1}, 1, 1},
		{[]int{1, 1, 1}, 239, 1},
		{[]int{1, 1, 1}, 479, 1},
		{[]int{1, 1, 1}, 480, 2},
		{[]int{1, 1, 1}, 719, 2},
		{[]int{1, 1, 1}, 720, 3},
	} {
		var list []run
		for _, n := range c.regions {
			list = append(list, run{entries: index{n: 10}, store: &store{regions: make(regions, n)}})
		}
		m := &Merge{cfg: MergeConfig{Resources: resources(t, c.room)}}
		n, entries := m.sortable(list)
		require.Equal(t, c.want, n, "%+v", c)
		require.Equal(t, 10*n, entries)
	}
}
