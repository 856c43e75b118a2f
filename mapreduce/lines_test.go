package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// cutPlaced returns the records of a text that end with sep, each after its offset.
func cutPlaced(text, sep string) (list []string) {
	at := 0
	for _, record := range cut(text, sep) {
		list = append(list, fmt.Sprintf("%d %s", at, record))
		at += len(record) + len(sep)
	}
	return list
}

// cut returns the records of a text that end with sep, by strings.Cut.
func cut(text, sep string) (list []string) {
	for text != "" {
		var record string
		record, text, _ = strings.Cut(text, sep)
		list = append(list, record)
	}
	return list
}

// tiny returns windows so small that short texts take each path of the reader.
func tiny(run, crossing, span int) read.Windows {
	return read.Windows{Run: run, Crossing: crossing, Span: span}
}

// readEach calls each with every record that in reads by r.
func readEach[I any](in Input[I], r *read.Reader, each func(rec I) error) error {
	return r.LocateError(in.Read(r, read.Each(r, each)))
}

// readInput calls each with every record of an input and its offset, until it returns an error. It
// cuts sources every block bytes and reads them through windows w.
func readInput[I any](t require.TestingT, in Input[I], w read.Windows, block int64, each func(at int64, rec I) error) error {
	p := must(MapOnly[I, None]{Map: func(I, func(None)) error { return nil }}.Bind(in, unread[None]()))(t)
	for _, s := range must(p.Splits(context.Background(), p.Job().BlocksOf(block)))(t) {
		r := &read.Reader{Ctx: context.Background(), Windows: w, Source: p.Job().Sources[s.Source], Split: s}
		if err := readEach(in, r, func(rec I) error { return each(r.Offset(), rec) }); err != nil {
			return err
		}
	}
	return nil
}

// recordsOf returns the records of an input, or its first error; see readInput.
func recordsOf[I any](t require.TestingT, in Input[I], w read.Windows, block int64) (records []I, err error) {
	err = readInput(t, in, w, block, func(_ int64, rec I) error { records = append(records, rec); return nil })
	return records, err
}

// readAll returns copies of the records of an input; see readInput.
func readAll(t require.TestingT, in Input[[]byte], w read.Windows, block int64) (records []string) {
	require.NoError(t, readInput(t, in, w, block, func(_ int64, rec []byte) error {
		records = append(records, string(rec))
		return nil
	}))
	return records
}

// readPlaced is readAll with each record's offset before it.
func readPlaced(t require.TestingT, in Input[[]byte], w read.Windows, block int64) (records []string) {
	require.NoError(t, readInput(t, in, w, block, func(at int64, rec []byte) error {
		records = append(records, fmt.Sprintf("%d %s", at, rec))
		return nil
	}))
	return records
}

// The splits of a text together have its lines, each at its offset, for any text, block size and
// windows.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		"", "\n", "a", "a\n", "a\nb", "\n\na\r\nbb\x00\xff\n\nlong line here\n",
		strings.Repeat("x", 300) + "\ny",
	} {
		for _, block := range []uint16{1, 2, 3, 7, 4096} {
			f.Add([]byte(text), block, uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, block uint16, size uint8) {
		w := tiny(int(size)+1, int(size)/2+1, 2*int(size)+1)
		n := int64(block) + 1
		want := cutPlaced(string(text), "\n")
		require.Equal(t, want, readPlaced(t, Lines(Bytes("text", text)), w, n))
		require.Equal(t, string(text), strings.Join(readAll(t, Chunks(Bytes("text", text)), w, n), ""))
		require.Equal(t, want, readPlaced(t, NLines(2, Bytes("text", text)), w, n))
		stream := Stream("-", iotest.HalfReader(bytes.NewReader(text)))
		require.Equal(t, want, readPlaced(t, Lines(stream), w, n))
	})
}

func TestChunksAreRunsOfWholeLines(t *testing.T) {
	text := []byte(strings.Repeat("some words\n", 100) + "end")
	runs := readAll(t, Chunks(Bytes("text", text)), tiny(64, 16, 256), 100)
	require.Equal(t, string(text), strings.Join(runs, ""))
	for i, run := range runs[:len(runs)-1] {
		require.True(t, strings.HasSuffix(run, "\n"), "run %d: %q", i, run)
		require.LessOrEqual(t, len(run), 64)
	}
}

func TestFixedSizeRecordsAtAnyBlockSize(t *testing.T) {
	var text []byte
	var want []string
	for i := range 37 {
		rec := fmt.Sprintf("%02d..", i)
		text, want = append(text, rec...), append(want, rec)
	}
	for block := int64(1); block < 20; block++ {
		for _, w := range []read.Windows{tiny(4, 1, 9), tiny(1, 4, 3), read.UsualWindows()} {
			require.Equal(t, want, readAll(t, FixedSize(4, Bytes("text", text)), w, block))
		}
	}
	_, err := recordsOf(t, FixedSize(4, Bytes("text", text[:41])), read.UsualWindows(), 41)
	require.ErrorContains(t, err, "text: ends within a record of 4 bytes")
}

func TestKeyValueLinesAndStrings(t *testing.T) {
	src := textOf("a\tb\tc\nd\n\te\n")
	pairs := Decoded(KeyValueLines('\t', src), func(p Pair[[]byte, []byte]) (string, error) {
		return string(p.First) + "=" + string(p.Second), nil
	})
	got := must(recordsOf(t, pairs, read.UsualWindows(), 100))(t)
	require.Equal(t, []string{"a=b\tc", "d=", "=e"}, got)
	got = must(recordsOf(t, LineStrings(src), read.UsualWindows(), 100))(t)
	require.Equal(t, []string{"a\tb\tc", "d", "\te"}, got)
}

func TestNLinesCutsEveryNLines(t *testing.T) {
	p := must(keepLines().Bind(NLines(2, textOf("1\n2\n3\n4\n5")), unread[[]byte]()))(t)
	splits := must(p.Splits(context.Background(), func(int) []cluster.Block {
		return []cluster.Block{{Offset: 0, Length: 5, Hosts: []string{"a"}}, {Offset: 5, Length: 4, Hosts: []string{"b"}}}
	}))(t)
	require.Equal(t, []cluster.Split{
		{Offset: 0, Length: 4, Hosts: []string{"a"}},
		{Offset: 4, Length: 4, Hosts: []string{"a"}},
		{Offset: 8, Length: 1, Hosts: []string{"b"}},
	}, splits)
}

func TestWholeFilesAndSlices(t *testing.T) {
	in := WholeFiles(Bytes("one", []byte("1\n2")), Bytes("empty", nil))
	var got []string
	for _, f := range must(recordsOf(t, in, read.UsualWindows(), 1))(t) {
		got = append(got, f.Name+":"+string(f.Data))
	}
	require.Equal(t, []string{"one:1\n2", "empty:"}, got, "a split for each")
	numbers := []int{5, 6, 7, 8}
	require.Equal(t, numbers, must(recordsOf(t, Slice(numbers), read.UsualWindows(), 1))(t))
	requireEverywhere(t, numbers, func() Input[int] { return Seq(slices.Values(numbers)) }, 1)
}

func TestAFileServesManyJobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("line\n"), 20000), 0o600)) // large enough that it is mapped
	src := must(File(path))(t)
	for range 2 {
		var out Collected[[]byte]
		p := must(keepLines().Bind(Lines(src), out.Output()))(t)
		engine(t, p, 0, nil, cluster.Resources{})
		require.Len(t, must(out.Records())(t), 20000)
	}
	require.NoError(t, os.Remove(path))
	_, err := keepLines().Bind(Lines(src), Text[[]byte](Writer("-", io.Discard)))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestStreamIsReadOnce(t *testing.T) {
	in := Lines(Stream("-", strings.NewReader("a\nb")))
	require.Equal(t, []string{"a", "b"}, readAll(t, in, read.UsualWindows(), 10))
	require.ErrorIs(t, errorOf(recordsOf(t, in, read.UsualWindows(), 10)), fault.ErrConsumed)

	broken := Lines(Stream("pipe", io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("gone")))))
	require.ErrorContains(t, errorOf(recordsOf(t, broken, read.UsualWindows(), 10)), "gone")
}

func TestSecondAttemptOverAStreamTellsWhyTheFirstFailed(t *testing.T) {
	bad := errors.New("bad record")
	job := MapOnly[[]byte, []byte]{Map: func([]byte, func([]byte)) error { return bad }}
	p := must(job.Bind(Lines(Stream("-", strings.NewReader("a\nb"))), unread[[]byte]()))(t)
	err := (&engineRun{tries: 2}).run(t.Context(), p)
	require.ErrorIs(t, err, fault.ErrConsumed)
	require.ErrorIs(t, err, bad)
}

func TestTotalOrderOfAStream(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&text, "%04d\n", i*7919%5000)
	}
	in, out := LineStrings(Stream("-", strings.NewReader(text.String()))), filepath.Join(t.TempDir(), "out")
	p := must(sorting[string](4).Bind(in, Text[Pair[string, None]](Dir(out))))(t)
	engine(t, p, 0, nil, cluster.Resources{})
	var all strings.Builder
	for i := range 4 {
		b := must(os.ReadFile(filepath.Join(out, fmt.Sprintf("part-r-%05d", i))))(t)
		require.Greater(t, len(b), 4000, "part %d has its share", i)
		all.Write(b)
	}
	for i, line := range cut(all.String(), "\n") {
		require.Equal(t, fmt.Sprintf("%04d", i), line)
	}
}

// heldViews is a source that counts the views that have not been released.
type heldViews struct {
	dfs.Source
	held int
}

func (h *heldViews) View(off int64, n int) ([]byte, func(), error) {
	b, release, err := h.Source.View(off, n)
	if err != nil {
		return nil, nil, err
	}
	h.held++
	return b, func() { h.held--; release() }, nil
}

func TestEveryViewIsReleased(t *testing.T) {
	data := &heldViews{Source: dfs.Bytes("text", []byte(strings.Repeat("word\n", 50)+strings.Repeat("x", 99)))}
	src := must(Stored(data))(t)
	stop := errors.New("stop")
	for fail := range 52 {
		for _, pinned := range []bool{false, true} {
			var release []func()
			r := &read.Reader{
				Ctx: context.Background(), Windows: tiny(16, 8, 32), Source: src,
				Split: cluster.Split{Length: src.Size()},
			}
			if pinned {
				r.Pin = func(_ []byte, f func()) { release = append(release, f) }
			}
			n := 0
			err := readEach(Lines(src), r, func([]byte) error {
				if n++; n > fail {
					return stop
				}
				return nil
			})
			require.Equal(t, fail < 51, err != nil)
			for _, f := range release {
				f()
			}
			require.Zero(t, data.held)
		}
	}
}

// The splits of a text together have the records that bytes.Cut gives, each at its offset, for any
// text, separator, block size and windows.
func FuzzSeparated(f *testing.F) {
	for _, sep := range []string{"\r\n", "aa", "aba", "abaab", "aaaa"} {
		f.Add([]byte("aaaaaaaaaaaaaaaaa"), sep, uint16(0), uint8(1))
		f.Add([]byte("abaababaabaabxabaabaab\r\n\r\nab"), sep, uint16(2), uint8(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, sep string, block uint16, size uint8) {
		if sep == "" {
			return
		}
		w := tiny(int(size)+1, int(size)/2+1, 2*int(size)+1)
		want := cutPlaced(string(text), sep)
		require.Equal(t, want, readPlaced(t, Separated(sep, Bytes("text", text)), w, int64(block)+1))
		stream := Stream("-", iotest.HalfReader(bytes.NewReader(text)))
		require.Equal(t, want, readPlaced(t, Separated(sep, stream), w, 1))
	})
}

// A long run of overlapping separators is cut as bytes.Cut does, although the search goes back
// window by window.
func TestSeparatorsThatOverlapFar(t *testing.T) {
	for _, text := range []string{strings.Repeat("\n", 400_001), "x" + strings.Repeat("\n", 400_000) + "y"} {
		want := cut(text, "\n\n")
		require.Equal(t, want, readAll(t, Separated("\n\n", Bytes("text", []byte(text))), read.UsualWindows(), 99_999))
	}
}

func TestSeparatedByNothing(t *testing.T) {
	_, err := passOn[[]byte]().Bind(Separated("", Bytes("text", nil)), unread[[]byte]())
	require.ErrorContains(t, err, "an empty separator")
}
