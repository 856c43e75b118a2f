package mapreduce_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// upTo yields the numbers below n.
func upTo(_ context.Context, n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func TestUnits(t *testing.T) {
	requireEverywhere(t, []int{0, 1, 2, 0}, func() Input[int] { return Units([]int{3, 0, 1}, upTo) }, 1, 10)
	p := must(passOn[int]().Bind(Units([]int{3, 0, 1}, upTo), unread[int]()))(t)
	splits := must(p.Splits(t.Context(), nil))(t)
	require.Len(t, p.Job().JoinSmall(splits, 1<<30), 3, "each has a map of its own")
	require.False(t, p.Job().ReadOnce())

	_, err := passOn[int]().Bind(Units(nil, upTo), unread[int]())
	require.ErrorIs(t, err, input.ErrNoSources)
	_, err = passOn[int]().Bind(Units[int, int]([]int{1}, nil), unread[int]())
	require.ErrorContains(t, err, "Units without a read function")
	_, err = passOn[int]().Bind(Units([]int{1}, upTo).SplitSize(1), unread[int]())
	require.ErrorContains(t, err, "SplitSize has no effect")
}

func TestUnitsAreNamed(t *testing.T) {
	broken := func(err error) error {
		return failure(t, Units([]string{"https://a.example/page"}, func(context.Context, string) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) { _ = yield(1, nil) && yield(0, err) }
		}))
	}
	require.EqualError(t, broken(errDisk), firstMap+"https://a.example/page: after 1 records: the disk is on fire")
	err := failure(t, Units([]int{7}, func(context.Context, int) iter.Seq2[int, error] { panic("no") }))
	require.ErrorContains(t, err, "7: record 0: panic: no")
	for unit, name := range map[string]string{
		"": "unit 0", "a\nb": `"a\nb"`, strings.Repeat("x", 500): strings.Repeat("x", 80) + "… (500 bytes)",
	} {
		err := failure(t, Units([]string{unit}, func(context.Context, string) iter.Seq2[int, error] { panic("no") }))
		require.ErrorContains(t, err, firstMap+name+": record 0: panic: no")
	}

	refuse := MapOnly[int, int]{Map: func(n int, _ func(int)) error {
		if n == 2 {
			return errDisk
		}
		return nil
	}}
	err = ran(refuse.Bind(Units([]int{1, 3}, upTo), unread[int]()))
	require.ErrorContains(t, err, "3: record 3: the disk is on fire")
}

func TestUnitsAreSampled(t *testing.T) {
	require.NoError(t, ran(sorting[int](2).Bind(Units([]int{4, 5}, upTo), unread[Pair[int, None]]())))
}

// seeker is a file system whose files have Seek but not ReadAt; if plain, they have neither.
type seeker struct {
	fs.FS
	plain bool
}

func (s seeker) Open(name string) (fs.File, error) {
	f, err := s.FS.Open(name)
	if _, ok := f.(fs.ReadDirFile); ok {
		return f, err
	}
	if at, ok := f.(io.Seeker); ok && !s.plain {
		return struct {
			fs.File
			io.Seeker
		}{f, at}, err
	}
	return struct{ fs.File }{f}, err
}

func zipped(t *testing.T, files map[string][]byte) fs.FS {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f := must(w.Create(name))(t)
		must(f.Write(files[name]))(t)
	}
	require.NoError(t, w.Close())
	return must(zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
}

func TestFSOfEveryKind(t *testing.T) {
	files := map[string][]byte{"in/a.txt": []byte("one\ntwo\nthree"), "in/b.txt": []byte("four\n"), "in/c.md": nil}
	dir, held := t.TempDir(), fstest.MapFS{}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
	for name, data := range files {
		held[name] = &fstest.MapFile{Data: data}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	want := []string{"one", "two", "three", "four"}
	for name, c := range map[string]struct {
		fsys   fs.FS
		splits bool
	}{
		"map": {held, true}, "directory": {os.DirFS(dir), true}, "zip": {zipped(t, files), false},
		"seek": {seeker{held, false}, true}, "plain": {seeker{held, true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			sources := must(FS(c.fsys, "in/*.txt"))(t)
			require.Len(t, sources, 2)
			require.Equal(t, c.splits, sources[0].Splittable())
			require.EqualValues(t, 13, sources[0].Size())
			requireEverywhere(t, want, func() Input[string] { return LineStrings(sources...) }, 1, 4, 100)
			head := make([]byte, 3)
			for _, off := range []int64{4, 0} { // back, too
				n := must(sources[0].Data.ReadAt(head, off))(t)
				require.Equal(t, string(files["in/a.txt"][off:off+3]), string(head[:n]))
			}
			require.NoError(t, sources[0].Data.Close())
		})
	}
}

// Another attempt reads a file of an fs.FS from its start, also one that can only be read from
// start to end.
func TestFSIsReadAgain(t *testing.T) {
	sources := must(FS(zipped(t, map[string][]byte{"a": []byte("b\na\n")}), "a"))(t)
	p := must(passOn[[]byte]().Bind(Lines(sources...), unread[[]byte]()))(t)
	require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
	require.False(t, p.Job().ReadOnce())
	for try := range 3 {
		must(p.RunMap(t.Context(), &cluster.MapAttempt{Try: try, Split: cluster.Split{Length: 4}}))(t)
	}
}

func TestFSFileThatChanges(t *testing.T) {
	held := fstest.MapFS{"a": {Data: []byte("a\nb\n")}}
	sources := must(FS(held, "."))(t)
	held["a"] = &fstest.MapFile{Data: []byte("a\nb\n"), ModTime: time.Unix(1, 0)}
	require.ErrorIs(t, failure(t, Lines(sources...)), ErrInputChanged)
	held["a"] = &fstest.MapFile{Data: []byte("a")}
	require.ErrorIs(t, failure(t, Lines(sources...)), ErrInputChanged)
	delete(held, "a")
	require.ErrorIs(t, failure(t, Lines(sources...)), ErrInputChanged)
}

type panicFS struct{}

func (panicFS) Open(string) (fs.File, error) { panic("no disk") }

func TestFSErrors(t *testing.T) {
	held := fstest.MapFS{"a.gz": {Data: []byte("plain")}}
	require.ErrorIs(t, errorOf(FS(held)), input.ErrNoSources)
	require.ErrorContains(t, errorOf(FS(held, "*.txt")), "*.txt: no file matches")
	require.ErrorIs(t, errorOf(FS(held, "b")), fs.ErrNotExist)
	require.ErrorIs(t, errorOf(FS(held, "a.gz")), fault.ErrCorruptInput)
	_, err := FS(panicFS{}, "a")
	_, isPanic := errors.AsType[*fault.PanicError](err)
	require.True(t, isPanic, err)
}
