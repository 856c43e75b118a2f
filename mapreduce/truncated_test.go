package mapreduce

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// shrinking is a mapped file that is truncated to size as soon as a View shows it, unless size is
// negative.
type shrinking struct {
	*dfs.LocalFile
	size int64
}

func (s *shrinking) View(off int64, n int) ([]byte, func(), error) {
	b, release, err := s.LocalFile.View(off, n)
	if err == nil && s.size >= 0 {
		err = s.shrink()
	}
	return b, release, err
}

func (s *shrinking) shrink() error { return os.Truncate(s.Name(), s.size) }

// shrinkingFile returns a source of lines of 16 bytes and a last one of 8, 1 MiB and 8 bytes in
// all. An unhandled fault in it would end the process.
func shrinkingFile(t *testing.T, size int64) (*shrinking, Source) {
	old := debug.SetPanicOnFault(false)
	t.Cleanup(func() { debug.SetPanicOnFault(old) })
	path := filepath.Join(t.TempDir(), "text")
	text := append(bytes.Repeat([]byte("0123456789abcde\n"), 1<<16), "the end\n"...)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	f := must(dfs.OpenLocal(path))(t)
	s := &shrinking{LocalFile: f, size: size}
	src := must(Stored(s))(t)
	return s, src
}

// requireShrunk requires an error that names the file and its former size, and that no View is
// held.
func requireShrunk(t *testing.T, f *shrinking, err error) {
	t.Helper()
	require.ErrorIs(t, err, ErrInputChanged)
	require.ErrorContains(t, err, f.Name())
	require.ErrorContains(t, err, "shrank from 1048584 ")
	require.Zero(t, f.Views())
}

func TestTruncatedWhileSampled(t *testing.T) {
	f, src := shrinkingFile(t, 0)
	p := must(sorting[[]byte](0).Bind(Lines(src), Text[Pair[[]byte, None]](Writer("-", io.Discard))))(t)
	err := p.Prepare(context.Background(), cluster.PrepareOptions{Reduces: 4})
	requireShrunk(t, f, err)
}

func TestTruncatedWhileCut(t *testing.T) {
	f, src := shrinkingFile(t, 100)
	p := must(keepLines().Bind(NLines(7, src), Raw[[]byte](Writer("-", io.Discard))))(t)
	_, err := p.Splits(context.Background(), nil)
	requireShrunk(t, f, err)
}

// A map that reads bytes that a truncation removed fails with ErrInputChanged: in the search for
// its first record, in whole records, and in one across the split's end.
func TestTruncatedWhileMapped(t *testing.T) {
	for name, split := range map[string]cluster.Split{
		"first record":    {Offset: 500_001, Length: 500_000},
		"whole records":   {Length: 500_000},
		"crossing record": {Offset: 1 << 20, Length: 1},
	} {
		t.Run(name, func(t *testing.T) {
			f, src := shrinkingFile(t, 10)
			p, err := keepLines().Bind(Lines(src), Raw[[]byte](Dir(filepath.Join(t.TempDir(), "out"))))
			require.NoError(t, err)
			require.NoError(t, p.SetupJob())
			defer func() { require.NoError(t, p.AbortJob()) }()
			_, err = p.RunMap(context.Background(), &cluster.MapAttempt{Split: split})
			requireShrunk(t, f, err)
		})
	}
}

func TestTruncatedWhileReadWhole(t *testing.T) {
	f, src := shrinkingFile(t, 10)
	job := MapOnly[WholeFile, int]{Map: func(file WholeFile, emit func(int)) error {
		emit(bytes.Count(file.Data, []byte{'\n'}))
		return nil
	}}
	p := must(job.Bind(WholeFiles(src), Text[int](Writer("-", io.Discard))))(t)
	_, err := p.RunMap(context.Background(), &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
	requireShrunk(t, f, err)
}

// If the new end is within a page, a View shows zeros after it and no fault; the job fails all the
// same.
func TestTruncatedWithinThePage(t *testing.T) {
	f, src := shrinkingFile(t, 1<<20+3)
	for _, local := range []bool{false, true} {
		p, err := wordCount(true).Bind(Lines(src), Text[Pair[string, int64]](Writer("-", io.Discard)))
		require.NoError(t, err)
		if local {
			_, err = RunLocal(context.Background(), p, LocalOptions{})
		} else {
			require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
			var out *cluster.MapOutput
			out, err = p.RunMap(context.Background(), &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
			require.Nil(t, out)
		}
		requireShrunk(t, f, err)
	}
}

// If the system writes a large record from the mapping, the write of lost bytes fails.
func TestTruncatedWhileWritten(t *testing.T) {
	f, src := shrinkingFile(t, -1)
	f.size = 0
	job := MapOnly[[]byte, []byte]{Map: func(chunk []byte, emit func([]byte)) error {
		emit(chunk)
		return nil
	}}
	p := must(job.Bind(Chunks(src), Raw[[]byte](Dir(filepath.Join(t.TempDir(), "out")))))(t)
	require.NoError(t, p.SetupJob())
	defer func() { require.NoError(t, p.AbortJob()) }()
	_, err := p.RunMap(context.Background(), &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
	requireShrunk(t, f, err)
}

// Reduces of a sort read keys and values in the input's mapping, and fail if it was truncated.
func TestTruncatedWhileReduced(t *testing.T) {
	count := func(values iter.Seq[None]) int {
		n := 0
		for range values {
			n++
		}
		return n
	}
	pull := func(values iter.Seq[None]) int {
		n := 0
		next, stop := iter.Pull(values)
		defer stop()
		for _, ok := next(); ok; _, ok = next() {
			n++
		}
		return n
	}
	for name, total := range map[string]func(iter.Seq[None]) int{
		"as it is": nil, "values": count,
		"values in a coroutine": pull,
	} {
		t.Run(name, func(t *testing.T) {
			f, src := shrinkingFile(t, -1)
			job := sorting[[]byte](0)
			if total != nil {
				job.Reduce = func(key []byte, values iter.Seq[None], emit func(Pair[[]byte, None])) error {
					if f.size >= 0 { // the merge has its next key in memory
						if err := f.shrink(); err != nil {
							return err
						}
					}
					if total(values) > 1 {
						emit(Pair[[]byte, None]{First: key})
					}
					return nil
				}
			}
			p, err := job.Bind(Lines(src), Text[Pair[[]byte, None]](Dir(filepath.Join(t.TempDir(), "out"))))
			require.NoError(t, err)
			begun(t, p, nil)
			out, err := p.RunMap(context.Background(), &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
			require.NoError(t, err)
			require.Positive(t, f.Views(), "the output refers to the input")
			f.size = 10
			if total == nil {
				require.NoError(t, f.shrink())
			}
			err = p.RunReduce(context.Background(), &cluster.ReduceAttempt{Next: sent(0, out)})
			out.Release()
			requireShrunk(t, f, err)
			require.NoError(t, p.AbortJob())
		})
	}
}

// If a file was removed or replaced before a map reads it, the error says so.
func TestVanishedFile(t *testing.T) {
	for name, text := range map[string]string{
		"read whole": "a\nb\n",
		"mapped":     strings.Repeat("0123456789abcde\n", 1<<16),
	} {
		for _, replaced := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "text")
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
				src := must(File(path))(t)
				p := must(keepLines().Bind(Lines(src), Raw[[]byte](Writer("-", io.Discard))))(t)
				require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
				if replaced {
					require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
					require.NoError(t, os.Rename(path+".new", path))
				} else {
					require.NoError(t, os.Remove(path))
				}
				_, err := p.RunMap(context.Background(), &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
				require.ErrorIs(t, err, ErrInputChanged)
				require.ErrorContains(t, err, path)
			})
		}
	}
}
