package mapreduce_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
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

// A job fails with ErrInputChanged if it reads bytes that a truncation removed: in the sample of a
// total order, while splits are cut, in a map, and where the system writes a large record from the
// mapping. If the new end is within a page, a View shows zeros after it and no fault; the job fails
// all the same.
func TestTruncatedWhileRead(t *testing.T) {
	lines := func(src Source, to Destination) (*Plan, error) { return keepLines().Bind(Lines(src), Raw[[]byte](to)) }
	for name, c := range map[string]struct {
		size  int64 // of the file after its first View
		block cluster.Block
		bind  func(src Source, to Destination) (*Plan, error)
	}{
		"first record":    {10, cluster.Block{Offset: 500_001, Length: 500_000}, lines},
		"whole records":   {10, cluster.Block{Length: 500_000}, lines},
		"crossing record": {10, cluster.Block{Offset: 1 << 20, Length: 1}, lines},
		"sampled": {0, cluster.Block{}, func(src Source, to Destination) (*Plan, error) {
			return sorting[[]byte](4).Bind(Lines(src), Text[Pair[[]byte, None]](to))
		}},
		"cut": {100, cluster.Block{Length: 1<<20 + 8}, func(src Source, to Destination) (*Plan, error) {
			return keepLines().Bind(NLines(7, src), Raw[[]byte](to))
		}},
		"whole file": {10, cluster.Block{Length: 1<<20 + 8}, func(src Source, to Destination) (*Plan, error) {
			return Apply(func(file WholeFile) int { return bytes.Count(file.Data, []byte{'\n'}) }).Bind(WholeFiles(src), Text[int](to))
		}},
		"within the page": {1<<20 + 3, cluster.Block{Length: 1<<20 + 8}, func(src Source, to Destination) (*Plan, error) {
			return wordCount(true).Bind(Lines(src), Text[Pair[string, int64]](to))
		}},
		"written": {0, cluster.Block{Length: 1<<20 + 8}, func(src Source, to Destination) (*Plan, error) {
			return passOn[[]byte]().Bind(Chunks(src), Raw[[]byte](to))
		}},
	} {
		for _, local := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", local ", local), func(t *testing.T) {
				f, src := shrinkingFile(t, c.size)
				p := must(c.bind(src, Dir(filepath.Join(t.TempDir(), "out"))))(t)
				blocks := func(int) []cluster.Block { return []cluster.Block{c.block} }
				run := (&engineRun{blocks: blocks}).run
				if local {
					run = func(ctx context.Context, p *Plan) error {
						return errorOf(RunLocal(ctx, p, LocalOptions{Blocks: blocks}))
					}
				}
				requireShrunk(t, f, run(t.Context(), p))
			})
		}
	}
}

// Reduces of a sort read keys and values in the input's mapping, and fail if it was truncated.
func TestTruncatedWhileReduced(t *testing.T) {
	count := func(values iter.Seq[None]) int { return len(slices.Collect(values)) }
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
			p := must(job.Bind(Lines(src), Text[Pair[[]byte, None]](Dir(filepath.Join(t.TempDir(), "out")))))(t)
			begun(t, p, nil)
			out, err := p.RunMap(t.Context(), &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
			require.NoError(t, err)
			require.Positive(t, f.Views(), "the output refers to the input")
			f.size = 10
			if total == nil {
				require.NoError(t, f.shrink())
			}
			err = p.RunReduce(t.Context(), &cluster.ReduceAttempt{Next: sent(0, out)})
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
				require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
				if replaced {
					require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
					require.NoError(t, os.Rename(path+".new", path))
				} else {
					require.NoError(t, os.Remove(path))
				}
				_, err := p.RunMap(t.Context(), &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
				require.ErrorIs(t, err, ErrInputChanged)
				require.ErrorContains(t, err, path)
			})
		}
	}
}
