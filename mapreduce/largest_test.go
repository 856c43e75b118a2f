package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// endless is a reader of a line that never ends.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return copy(p, bytes.Repeat([]byte{'x'}, len(p))), nil
}

// runBudget runs the only map of a plan with a memory budget, and returns its error.
func runBudget(t *testing.T, p *Plan, budget int64) error {
	memory := cluster.NewMemory(budget)
	_, err := p.RunMap(t.Context(), &cluster.MapAttempt{
		Split:     begun(t, p, nil)[0],
		Resources: cluster.Resources{Budget: memory, Pool: cluster.NewBuffers(memory, 0)},
	})
	return errors.Join(err, p.AbortJob())
}

// A record without an end is rejected before it fills the memory, with its place, in each format.
func TestRecordTooLarge(t *testing.T) {
	const budget = 80 << 20 // a record may have a quarter of it, 20 MiB
	keep := keepLines()
	whole := MapOnly[WholeFile, []byte]{Map: func(WholeFile, func([]byte)) error { return nil }}
	text := MapOnly[string, []byte]{Map: func(string, func([]byte)) error { return nil }}
	for name, c := range map[string]struct {
		bind func(s Source) func(Output[[]byte]) (*Plan, error)
		at   string
	}{
		"lines":       {func(s Source) func(Output[[]byte]) (*Plan, error) { return keep.Over(Lines(s)) }, "byte 6"},
		"chunks":      {func(s Source) func(Output[[]byte]) (*Plan, error) { return keep.Over(Chunks(s)) }, "byte 6"},
		"strings":     {func(s Source) func(Output[[]byte]) (*Plan, error) { return text.Over(LineStrings(s)) }, "byte 6"},
		"fixed size":  {func(s Source) func(Output[[]byte]) (*Plan, error) { return keep.Over(FixedSize(1<<40, s)) }, "byte 0"},
		"whole files": {func(s Source) func(Output[[]byte]) (*Plan, error) { return whole.Over(WholeFiles(s)) }, "byte 0"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &endless{}
			p := must(c.bind(Stream("the-pipe", readers{strings.NewReader("short\n"), e}))(unread[[]byte]()))(t)
			err := runBudget(t, p, budget)
			require.ErrorIs(t, err, ErrRecordTooLarge)
			require.ErrorContains(t, err, "the-pipe: record too large: the one that begins at "+c.at+
				" is longer than 20971520 bytes, a quarter of the memory budget")
			require.Less(t, e.read, int64(budget/2))
		})
	}
}

// readers reads from its first reader, then from the second, and has no other methods.
type readers [2]interface{ Read(p []byte) (int, error) }

func (r readers) Read(p []byte) (int, error) {
	if n, err := r[0].Read(p); n > 0 || err == nil {
		return n, nil
	}
	return r[1].Read(p)
}

// A line of a mapped file may have any size, as it is not copied; a line as a string may not.
func TestLargeLinesOfAFile(t *testing.T) {
	src := sparse(t, "short\n", 40<<20)
	count := int64(0)
	job := keepLines()
	job.Map = func(line []byte, _ func([]byte)) error { count += int64(len(line)); return nil }
	var out Collected[[]byte]
	p := must(job.Bind(Lines(src), out.Output()))(t)
	require.NoError(t, runBudget(t, p, 80<<20))
	require.EqualValues(t, 40<<20-1, count)

	text := MapOnly[string, []byte]{Map: func(string, func([]byte)) error { return nil }}
	p = must(text.Bind(LineStrings(src), out.Output()))(t)
	err := runBudget(t, p, 80<<20)
	require.ErrorIs(t, err, ErrRecordTooLarge)
	require.ErrorContains(t, err,
		"sparse: record too large: the one that begins at byte 6 is longer than 20971520 bytes")
}

// sparse returns a mapped file of this size: the text, then zeros.
func sparse(t *testing.T, text string, size int64) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	require.NoError(t, os.Truncate(path, size))
	src := must(File(path))(t)
	return src
}

// A mapped record that a map emits may have any size if it is only passed on. If Combine or Reduce
// must hold it, the error names the input record, and it is permanent.
func TestEmittedTooLarge(t *testing.T) {
	const budget, quarter = 80 << 20, 20 << 20
	src := sparse(t, "short\n", 64<<20)
	const size = 64<<20 - 6
	words := func(_ []byte, emit func([]byte, int64)) error {
		emit(make([]byte, quarter), 1)
		return nil
	}
	count := func(key []byte, _ iter.Seq[int64], emit func([]byte)) error { emit(key); return nil }
	text := func(line []byte, emit func([]byte, []byte)) error { emit(line, nil); return nil }
	var out Collected[[]byte]
	bind := func(p *Plan, err error) *Plan { require.NoError(t, err); return p }
	combining := Job[[]byte, []byte, int64, []byte]{Combine: func(a, b int64) int64 { return a + b }, Reduce: count}
	combining.Map = words
	require.NoError(t, runBudget(t, bind(combining.Bind(Lines(src), out.Output())), budget))

	combining.Map = func(line []byte, emit func([]byte, int64)) error { emit(line, 1); return nil }
	holding := Job[[]byte, []byte, []byte, []byte]{
		Map:    text,
		Reduce: func([]byte, iter.Seq[[]byte], func([]byte)) error { return nil },
	}
	for _, c := range []struct {
		p    *Plan
		what string
	}{
		{bind(combining.Bind(Lines(src), out.Output())), "a key"},
		{bind(holding.Bind(Lines(src), out.Output())), "a key with its value"},
	} {
		err := runBudget(t, c.p, budget)
		require.ErrorIs(t, err, ErrRecordTooLarge)
		require.True(t, fault.IsPermanent(err))
		require.ErrorContains(t, err, fmt.Sprintf("sparse: at byte 6, \"%s\"… (%d bytes): ",
			strings.Repeat(`\x00`, fault.HeadSize), size))
		require.ErrorContains(t, err,
			fmt.Sprintf("record too large: %s of %d bytes is longer than %d bytes, a quarter of the memory budget",
				c.what, size, quarter))
	}

	passing := Job[[]byte, []byte, []byte, Pair[[]byte, []byte]]{Map: text}
	var pairs bytes.Buffer
	require.NoError(t, runBudget(t, bind(passing.Bind(Lines(src), Text[Pair[[]byte, []byte]](Writer("pairs", &pairs)))),
		budget))
}

// A sort and a word count handle a line of 100 MB, and a word of that size, in a mapped file with
// small blocks.
func TestLongLine(t *testing.T) {
	size := 5 << 20
	if os.Getenv("LONG_TESTS") != "" {
		size = 100 << 20
	}
	text := append(bytes.Repeat([]byte("x"), size), "\nb c\na\n\x00"...)
	path := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	source := func() Source { src := must(File(path))(t); return src }
	for _, memory := range []int64{0, 1 << 20} {
		res := cluster.Resources{SpillDir: t.TempDir()}
		if memory > 0 {
			res.Budget = cluster.NewMemory(memory).Sub()
		}
		var lines bytes.Buffer
		p := must(sorting[[]byte](0).Bind(Lines(source()), Text[Pair[[]byte, None]](Writer("-", &lines))))(t)
		engine(t, p, 2, p.Job().BlocksOf(1<<20), res)
		require.True(t, bytes.Equal(append([]byte("\x00\na\nb c\n"), text[:size+1]...), lines.Bytes()))

		var words bytes.Buffer
		count := Job[[]byte, []byte, int64, Pair[[]byte, int64]]{Sum: true, Map: func(text []byte, emit func([]byte, int64)) error {
			for w := range Fields(text) {
				emit(w, 1)
			}
			return nil
		}}
		p = must(count.Bind(Lines(source()), Text[Pair[[]byte, int64]](Writer("-", &words))))(t)
		if memory > 0 && size > 16<<20 { // a table holds such a key only in a larger budget
			res.Budget = cluster.NewMemory(5 * int64(size)).Sub()
		}
		engine(t, p, 1, p.Job().BlocksOf(1<<20), res)
		want := append([]byte("\x00\t1\na\t1\nb\t1\nc\t1\n"), text[:size]...)
		require.True(t, bytes.Equal(append(want, "\t1\n"...), words.Bytes()))
	}
	var out bytes.Buffer
	p := must(keepLines().Bind(Chunks(source()), Raw[[]byte](Writer("-", &out))))(t)
	must(RunLocal(context.Background(), p, LocalOptions{Blocks: p.Job().BlocksOf(1 << 20)}))(t)
	require.True(t, bytes.Equal(text, out.Bytes()))
}

// Lines as strings share memory only if emitted values are copied. In a table that keeps them, each
// has memory of its own, so that one does not hold others.
func TestStringsOfWhatIsHeldLieAlone(t *testing.T) {
	var at []uintptr
	see := func(line string) string {
		at = append(at, uintptr(unsafe.Pointer(unsafe.StringData(line))))
		return line
	}
	adjacent := func(bind func(Input[string], Output[string]) (*Plan, error)) bool {
		at = nil
		p := must(bind(LineStrings(textOf("one\ntwo\n")), unread[string]()))(t)
		must(p.RunMap(t.Context(), &cluster.MapAttempt{Split: begun(t, p, nil)[0]}))(t).Release()
		require.Len(t, at, 2)
		return at[0]+uintptr(len("one\n")) == at[1]
	}
	require.True(t, adjacent(Job[string, string, int, string]{
		Map:     func(line string, emit func(string, int)) error { emit(see(line), 1); return nil },
		Combine: func(a, b int) int { return a + b },
		Reduce:  ignore[string, int, string],
	}.Bind), "counts")
	require.False(t, adjacent(Job[string, string, string, string]{
		Map:     func(line string, emit func(string, string)) error { emit(line, see(line)); return nil },
		Combine: func(a, b string) string { return max(a, b) },
		Reduce:  ignore[string, string, string],
	}.Bind), "strings that a combiner holds")
	require.False(t, adjacent(Apply(see).Bind), "a job without shuffle")
}
