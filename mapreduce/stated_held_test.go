package mapreduce

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func frameOf(function, file string) runtime.Frame {
	return runtime.Frame{Function: function, File: file}
}

// TestHeldPartsAreInMemoryUpToTheirLimit states where a part waits for its turn: up to 1 MiB in
// memory, beyond in a file without a name; what is sent is what was written, and nothing is left.
func TestHeldPartsAreInMemoryUpToTheirLimit(t *testing.T) {
	for _, sizes := range [][]int{{}, {holdLimit}, {holdLimit - 1, 1}, {holdLimit + 1}, {holdLimit, 1}, {5, holdLimit, 7}} {
		h := &heldPart{dir: t.TempDir()}
		var want []byte
		total := 0
		for i, n := range sizes {
			b := bytes.Repeat([]byte{byte('a' + i)}, n)
			want = append(want, b...)
			k, err := h.Write(b)
			require.NoError(t, err)
			require.Equal(t, n, k)
			total += n
			require.Equal(t, total > holdLimit, h.file != nil, "%d bytes", total)
		}
		var got bytes.Buffer
		require.NoError(t, h.sendTo(&got))
		require.True(t, bytes.Equal(want, got.Bytes()), "%v", sizes)
		require.NoError(t, h.discard())
		left, err := os.ReadDir(h.dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// TestPartsAreSentInTurn states what a Writer gets: each part once, when it and all before it are
// committed, whatever the order of the commits, and of attempts that are discarded nothing.
func TestPartsAreSentInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w bytes.Buffer
		s := Writer("-", &w).store.(*writerStore)
		require.NoError(t, s.setup())
		const n = 5
		order := rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order")
		done := [n]bool{}
		for _, i := range order {
			for try := range rapid.IntRange(1, 2).Draw(t, "tries") {
				p := part{attempt: fmt.Sprint(i, "-", try), index: i}
				f, err := s.create(p)
				require.NoError(t, err)
				_, err = fmt.Fprint(f, i)
				require.NoError(t, err)
				if try > 0 {
					require.NoError(t, s.discard(p))
					require.NoError(t, s.discard(p), "a second time")
					require.Error(t, s.commit(p), "it is unknown by now")
				}
			}
			require.NoError(t, s.commit(part{attempt: fmt.Sprint(i, "-", 0), index: i}))
			done[i] = true
			want := ""
			for k := 0; k < n && done[k]; k++ {
				want += fmt.Sprint(k)
			}
			require.Equal(t, want, w.String())
		}
	})
}

// TestMemoryIsFreeAfterAFailedJob states that what is collected serves one job, unless that failed.
func TestMemoryIsFreeAfterAFailedJob(t *testing.T) {
	m := new(memoryStore)
	put := func(i int, text string) {
		p := part{attempt: text, index: i}
		f, err := m.create(p)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, m.commit(p))
	}
	require.NoError(t, m.setup())
	require.ErrorIs(t, m.setup(), ErrDestinationUsed)
	put(2, "lost")
	require.NoError(t, m.abort())
	require.NoError(t, m.setup())
	put(1, "kept")
	_, whole := m.committedParts()
	require.False(t, whole)
	require.NoError(t, m.success())
	parts, whole := m.committedParts()
	require.True(t, whole)
	require.Equal(t, [][]byte{nil, []byte("kept")}, parts)
	require.ErrorIs(t, m.setup(), ErrDestinationUsed)
}

// TestLoansEndAtOnce states what a watched job's bytes are: a copy that nobody else has, poisoned
// when its time is over and known from then on; and that no more than some MiB are remembered.
func TestLoansEndAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &loans{what: "record"}
		mine := []byte("mine")
		require.False(t, l.ended(mine))
		for range rapid.IntRange(1, 5).Draw(t, "calls") {
			var lent [][]byte
			for range rapid.IntRange(1, 4).Draw(t, "loans") {
				of := bytes.Repeat([]byte("r"), rapid.SampledFrom([]int{0, 1, 5, loanSlab - 6, loanSlab, loanSlab + 1, loanBytes}).Draw(t, "size"))
				b := l.lend(of)
				require.True(t, bytes.Equal(of, b))
				require.Equal(t, len(b), cap(b), "appending to a loan writes into no other")
				lent = append(lent, b)
			}
			require.False(t, l.changed())
			held := 0
			for _, slab := range l.slabs {
				held += cap(slab)
			}
			require.Equal(t, held, l.bytes)
			require.True(t, held <= loanBytes || len(l.slabs) == 1, "%d bytes", held)
			for _, b := range lent {
				require.False(t, l.ended(b))
				if len(b) > 0 {
					b[len(b)-1]++
					require.True(t, l.changed())
					b[len(b)-1]--
				}
			}
			last := lent[len(lent)-1]
			l.end()
			for _, b := range lent {
				require.Len(t, b, bytes.Count(b, []byte{Poison}))
			}
			if len(last) > 0 {
				require.True(t, l.ended(last))
				require.True(t, l.ended(last[len(last)-1:]))
			}
			require.False(t, l.ended(mine))
			require.False(t, l.changed())
		}
	})
}

// TestRoutesHaveNames states which names a routed record may give.
func TestRoutesHaveNames(t *testing.T) {
	long := string(bytes.Repeat([]byte("n"), 100))
	for name, good := range map[string]bool{
		"errors": true, "é": true, "a b": true, long: true, "apart": true, "parts": true, "part_1": true, "a.b": true, "a_": true,
		long + "n": false, "a/b": false, `a\b`: false, "a\nb": false, "a\xffb": false, "part": false, "part-1": false, "_a": false, ".a": false,
	} {
		require.Equal(t, good, checkRoute(name) == nil, "%q", name)
	}
}

// TestOpenRoutesAreTheOnesUsedLast states which files of names an attempt has open: at most 64,
// those that it wrote to last, each paid for as long as it is open.
func TestOpenRoutesAreTheOnesUsedLast(t *testing.T) {
	out := Routed(Text[string](Dir(t.TempDir()+"/out")), func(rec string) string { return rec })
	c := newCommitter(out.dest)
	require.NoError(t, c.setupJob())
	defer func() { require.NoError(t, c.abortJob()) }()
	budget := NewMemory(1 << 30).Sub()
	w, err := newRecordWriter(planOf(c), &Task{budget: budget}, "", out)
	require.NoError(t, err)
	base := budget.Used()
	var recent []string
	rapid.Check(t, func(t *rapid.T) {
		name := fmt.Sprint("n", rapid.IntRange(0, 2*mostOpen).Draw(t, "name"))
		w.gate.Open()
		w.emit(name)
		w.gate.Shut()
		require.NoError(t, w.err())
		recent = slices.DeleteFunc(recent, func(n string) bool { return n == name })
		if recent = append(recent, name); len(recent) > mostOpen {
			recent = recent[1:]
		}
		var open []string
		for _, f := range w.router.open {
			require.NotNil(t, f.partWriter)
			open = append(open, f.attempt[len("m-00000-0~"):])
		}
		require.Equal(t, recent, open)
		require.Equal(t, base+int64(len(open))*2*routeFlush, budget.Used())
	})
	require.NoError(t, w.close(nil))
	require.Zero(t, budget.Used())
	_ = w.close(nil) // it may be called again
	require.Zero(t, budget.Used())
}

// TestGroupedHoldsRecordsAndTheirHeads states what of a group counts against the bound: the bytes of each
// record and its head in memory, so that many small records are bounded, too.
func TestGroupedHoldsRecordsAndTheirHeads(t *testing.T) {
	type row = Pair[string, string]
	kept := func(n int) *KeptBy[string, row] {
		k := NewKeptBy(KeptOptions{}, func(r row) string { return r.First })
		job := Job[int, string, string, row]{Map: func(i int, emit func(string, string)) error {
			emit("key", strings.Repeat("v", 10))
			return nil
		}}
		plan, err := job.Bind(Slice(make([]int, n)), k.Output())
		require.NoError(t, err)
		_, err = RunLocal(t.Context(), plan, LocalOptions{})
		require.NoError(t, err)
		return k
	}
	none := kept(0)
	least := func(n int) int64 { // the bound under which a group of n records is read
		in := Grouped(kept(n).Feed(), none.Feed())
		return int64(sort.Search(1<<20, func(bound int) bool {
			r := &splitReader{ctx: t.Context(), windows: usualWindows(), source: in.sources[0], split: Split{Length: in.sources[0].Size()}}
			r.windows.record = int64(bound) + 1
			err := in.read(r, func(Group[string, row, row]) error { return nil })
			if err != nil {
				require.ErrorIs(t, err, ErrRecordTooLarge)
			}
			return err == nil
		})) + 1
	}
	one := least(1)
	require.Greater(t, one, int64(len("key")+10+int(unsafe.Sizeof(row{}))))
	require.Equal(t, 40*one, least(40))
}
