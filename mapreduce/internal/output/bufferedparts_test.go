package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// A part that waits to be sent is in memory up to 1 MiB, and beyond that in a spill. All its
// bytes are sent, and no file remains.
func TestHeldPartsAreInMemoryUpToTheirLimit(t *testing.T) {
	for _, sizes := range [][]int{{}, {holdLimit}, {holdLimit - 1, 1}, {holdLimit + 1}, {holdLimit, 1}, {5, holdLimit, 7}} {
		dir := t.TempDir()
		h := &heldPart{files: segment.NewFiles(dir)}
		var want []byte
		total := 0
		for i, n := range sizes {
			b := bytes.Repeat([]byte{byte('a' + i)}, n)
			want = append(want, b...)
			require.Equal(t, n, must(h.Write(b))(t))
			total += n
			require.Equal(t, total > holdLimit, h.spill != nil, "%d bytes", total)
		}
		var got bytes.Buffer
		require.NoError(t, h.sendTo(&got))
		require.True(t, bytes.Equal(want, got.Bytes()), "%v", sizes)
		h.discard()
		require.Empty(t, must(os.ReadDir(dir))(t))
	}
}

// A Writer gets each part once, in the order of parts, after it and all earlier ones are committed.
// It gets nothing of discarded attempts.
func TestPartsAreSentInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w bytes.Buffer
		s := Writer("-", &w).store.(*BufferedStore)
		require.NoError(t, s.Setup())
		const n = 5
		order := rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order")
		done := [n]bool{}
		for _, i := range order {
			for try := range rapid.IntRange(1, 2).Draw(t, "tries") {
				p := Part{Attempt: fmt.Sprint(i, "-", try), Index: i}
				f := must(s.Create(p))(t)
				must(fmt.Fprint(f, i))(t)
				if try > 0 {
					require.NoError(t, s.Discard(p))
					require.NoError(t, s.Discard(p), "a second time")
					require.Error(t, s.Commit(p), "it is unknown by now")
				}
			}
			require.NoError(t, s.Commit(Part{Attempt: fmt.Sprint(i, "-", 0), Index: i}))
			done[i] = true
			want := ""
			for k := 0; k < n && done[k]; k++ {
				want += fmt.Sprint(k)
			}
			require.Equal(t, want, w.String())
		}
	})
}

// A collected output can be used by one job; after a failed job, by the next one.
func TestMemoryIsFreeAfterAFailedJob(t *testing.T) {
	m := new(BufferedStore)
	put := func(i int, text string) {
		p := Part{Attempt: text, Index: i}
		f := must(m.Create(p))(t)
		must(f.Write([]byte(text)))(t)
		require.NoError(t, m.Commit(p))
	}
	require.NoError(t, m.Setup())
	require.ErrorIs(t, m.Setup(), ErrDestinationUsed)
	put(2, "lost")
	require.NoError(t, m.Abort())
	require.NoError(t, m.Setup())
	put(1, "kept")
	_, whole := m.CommittedParts()
	require.False(t, whole)
	require.NoError(t, m.Success())
	parts, whole := m.CommittedParts()
	require.True(t, whole)
	require.Equal(t, [][]byte{nil, []byte("kept")}, parts)
	require.ErrorIs(t, m.Setup(), ErrDestinationUsed)
}

// CheckRoute accepts the names that user code may return for a record's file, and no others.
func TestRoutesHaveNames(t *testing.T) {
	long := string(bytes.Repeat([]byte("n"), 100))
	for name, good := range map[string]bool{
		"errors": true, "é": true, "a b": true, long: true, "apart": true, "parts": true, "part_1": true, "a.b": true, "a_": true,
		long + "n": false, "a/b": false, `a\b`: false, "a\nb": false, "a\xffb": false, "part": false, "part-1": false, "_a": false, ".a": false,
	} {
		require.Equal(t, good, CheckRoute(name) == nil, "%q", name)
	}
}

// An attempt has at most 64 routed files open, those used last. Each is charged to the budget while
// it is open.
func TestOpenRoutesAreTheOnesUsedLast(t *testing.T) {
	c := NewCommitter(Dir(t.TempDir() + "/out"))
	require.NoError(t, c.SetupJob())
	defer func() { require.NoError(t, c.AbortJob()) }()
	budget := memory.NewBudget(1 << 30).Sub()
	usual := must(c.Open(attempt.ID{}))(t)
	r := NewRoutes(c, attempt.ID{}, usual, nil, budget)
	var recent []string
	rapid.Check(t, func(t *rapid.T) {
		name := fmt.Sprint("n", rapid.IntRange(0, 2*maxOpen).Draw(t, "name"))
		r.Buf = append(r.Buf, "record"...)
		r.Hold(name)
		require.NoError(t, r.Settle())
		recent = slices.DeleteFunc(recent, func(n string) bool { return n == name })
		if recent = append(recent, name); len(recent) > maxOpen {
			recent = recent[1:]
		}
		var open []string
		for _, f := range r.open {
			require.NotNil(t, f.PartWriter)
			open = append(open, f.Attempt[len("m-00000-0~"):])
		}
		require.Equal(t, recent, open)
		require.Equal(t, int64(len(open))*2*routeFlush, budget.Used())
	})
	require.NoError(t, r.Close(nil))
	require.Zero(t, budget.Used())
	require.NoError(t, r.Close(nil), "it may be called again")
	require.Zero(t, budget.Used())
	require.NoError(t, usual.Close())
}

// A file's bytes are charged to the meter before they are written. They are credited when an
// uncommitted attempt is removed.
func TestMeteredOutput(t *testing.T) {
	full := errors.New("full")
	fsys := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}}}))(t)
	for _, dest := range []func() Destination{
		func() Destination { return Dir(filepath.Join(t.TempDir(), "out")) },
		func() Destination { return InDFS(fsys, "out") },
	} {
		sum := int64(0)
		c := NewCommitter(dest().Metered(func(n int64) error {
			if sum+n > 10 {
				return full
			}
			sum += n
			return nil
		}))
		require.NoError(t, c.SetupJob())
		first, second := reduce(0, 0), reduce(0, 1)
		writePart(t, c, first, "1234567")
		w := must(c.Open(second))(t)
		_, _ = w.Write([]byte("1234567"))
		err := w.Close()
		require.ErrorIs(t, err, full)
		require.True(t, fault.IsPermanent(err))
		require.EqualValues(t, 7, sum)
		require.NoError(t, c.AbortTask(second))
		require.NoError(t, c.CommitTask(first))
		require.NoError(t, c.AbortTask(first), "what is committed stays")
		require.EqualValues(t, 7, sum)
		writePart(t, c, reduce(1, 0), "123")
		require.NoError(t, c.AbortTask(reduce(1, 0)))
		require.EqualValues(t, 7, sum)
		require.NoError(t, c.AbortJob())
	}
}

// After AbortJob a Writer gets nothing more, and if it fails, so does the commit of the part.
func TestUnsentPartsAreDropped(t *testing.T) {
	var sent bytes.Buffer
	c := NewCommitter(Writer("-", &sent))
	require.NoError(t, c.SetupJob())
	writePart(t, c, reduce(1, 0), "early")
	writePart(t, c, reduce(2, 0), "unfinished")
	require.NoError(t, c.CommitTask(reduce(1, 0)))
	require.NoError(t, c.AbortJob())
	require.Zero(t, sent.Len())
	end, broken := io.Pipe()
	require.NoError(t, end.Close())
	c = NewCommitter(Writer("-", broken))
	writePart(t, c, reduce(0, 0), "text")
	require.ErrorIs(t, c.CommitTask(reduce(0, 0)), io.ErrClosedPipe)
}
