package dfs

import (
	"bytes"
	"io"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachSource calls test with a Source of each kind, all with the same bytes.
func eachSource(t *testing.T, data []byte, test func(t *testing.T, s Source)) {
	local, _ := localFile(t, data)
	ranges, _ := localFile(t, data)
	ranges.ranges = true
	for name, s := range map[string]Source{
		"bytes": Bytes("b", data), "local": local, "not mapped": ranges,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
		require.NoError(t, s.Close())
		require.NoError(t, s.Close(), "closing twice is harmless")
		if name != "bytes" {
			_, err := s.ReadAt(make([]byte, 1), 0)
			require.ErrorIs(t, err, ErrClosed, name)
			_, _, err = s.View(0, 0)
			require.ErrorIs(t, err, ErrClosed, name)
		}
	}
}

// ReadAt of each kind of source returns what bytes.Reader does: all requested bytes or io.EOF.
func TestReadAtOfEverySource(t *testing.T) {
	for _, size := range []int{0, 10, smallFile + 10, 3 * sumChunk} { // the last in blocks of whole chunks
		data := noise(7, size)
		want := bytes.NewReader(data)
		eachSource(t, data, func(t *testing.T, s Source) {
			require.EqualValues(t, size, s.Size())
			for _, off := range []int{0, 1, 4, size / 2, size - 1, size, size + 1} {
				for _, n := range []int{1, 3, size / 2, size, size + 1} {
					if off < 0 || n == 0 {
						continue
					}
					a, b := make([]byte, n), make([]byte, n)
					wantN, wantErr := want.ReadAt(a, int64(off))
					gotN, gotErr := s.ReadAt(b, int64(off))
					require.Equal(t, wantN, gotN, "%d bytes at %d", n, off)
					require.Equal(t, wantErr, gotErr, "%d bytes at %d", n, off)
					require.True(t, bytes.Equal(a, b))
				}
			}
			_, err := s.ReadAt(make([]byte, 1), -1)
			require.Error(t, err)
			require.NotErrorIs(t, err, io.EOF)
		})
	}
}

// A View has no capacity beyond the requested bytes: append to it does not change the source.
func TestViewOfEverySource(t *testing.T) {
	for _, size := range []int{0, 10, smallFile + 10} {
		data := noise(8, size)
		kept := bytes.Clone(data)
		eachSource(t, data, func(t *testing.T, s Source) {
			for _, off := range []int{0, 1, size / 2, size - 1, size} {
				for _, n := range []int{0, 1, size / 3, size - off} {
					if off < 0 || n < 0 || off+n > size {
						continue
					}
					b, release := viewOf(t, s, int64(off), n)
					require.True(t, bytes.Equal(data[off:off+n], b), "%d bytes at %d", n, off)
					require.Len(t, b, cap(b))
					release()
				}
			}
			for _, r := range [][2]int{{-1, 1}, {0, -1}, {0, size + 1}, {size, 1}, {size + 1, 0}, {1, size}} {
				_, _, err := s.View(int64(r[0]), r[1])
				require.ErrorContains(t, err, "outside a file", "%v", r)
			}
		})
		require.True(t, bytes.Equal(kept, data))
	}
}

func viewOf(t require.TestingT, s Source, off int64, n int) ([]byte, func()) {
	b, release, err := s.View(off, n)
	require.NoError(t, err)
	return b, release
}

// endSource returns io.EOF with its last bytes, as io.ReaderAt allows, or ends `lacks` bytes early.
type endSource struct {
	Source
	lacks int
}

func (e endSource) ReadAt(p []byte, off int64) (int, error) {
	n, err := e.Source.ReadAt(p, off)
	if off+int64(n) == e.Size() {
		return n - e.lacks, io.EOF
	}
	return n, err
}

func TestSourcesThatEnd(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	whole := Bytes("b", []byte("0123456789"))
	require.NoError(t, f.Register("whole", endSource{Source: whole}, 4))
	requireFile(t, f, "whole", "0123456789")
	require.NoError(t, f.Register("short", endSource{Source: whole, lacks: 1}, 4))
	_, err := fs.ReadFile(f, "short")
	require.Error(t, err, "a file never lacks its last byte unnoticed")
}

// Shared is true only for sources whose Views show existing bytes: memory and mapped files.
func TestSharedSources(t *testing.T) {
	shared := map[string]bool{}
	eachSource(t, []byte("abc"), func(t *testing.T, s Source) { shared[t.Name()] = Shared(s) })
	require.Equal(t, map[string]bool{
		t.Name() + "/bytes": true, t.Name() + "/local": true, t.Name() + "/not_mapped": false,
	}, shared)
}

// After a failed write, all later writes fail, and the FS keeps no block of the file.
func TestWriteThatFails(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1), BlockSize: 2})
	w, err := f.Create("x")
	require.NoError(t, err)
	n, err := w.Write([]byte("abc"))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.NoError(t, f.Lose("n0", false))
	n, err = w.Write([]byte("defg"))
	require.ErrorIs(t, err, ErrNoReplica)
	require.Less(t, n, 4)
	require.NoError(t, f.Up("n0"))
	n, err = w.Write([]byte("hi"))
	require.ErrorIs(t, err, ErrNoReplica, "though the node is back")
	require.Zero(t, n)
	require.ErrorIs(t, w.Close(), ErrNoReplica)
	require.ErrorIs(t, w.Close(), fs.ErrClosed)
	require.Empty(t, f.ns.blocks)
	require.Empty(t, f.ns.byID["n0"].disk)
}
