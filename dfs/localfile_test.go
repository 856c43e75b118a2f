package dfs

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func localFile(t *testing.T, data []byte) (*LocalFile, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	l, err := OpenLocal(path)
	require.NoError(t, err)
	return l, path
}

func TestLocalFileViews(t *testing.T) {
	for _, size := range []int{0, 1, smallFile, smallFile + 1, 300_000} {
		data := noise(uint64(size), size)
		l, path := localFile(t, data)
		require.Equal(t, path, l.Name())
		require.EqualValues(t, size, l.Size())
		b, release, err := l.View(0, size)
		require.NoError(t, err)
		require.Equal(t, size, len(b))
		require.Equal(t, data, append([]byte{}, b...))
		got, err := io.ReadAll(io.NewSectionReader(l, 0, int64(size)+9))
		require.NoError(t, err)
		require.Equal(t, data, append([]byte{}, got...))
		_, _, err = l.View(0, size+1)
		require.Error(t, err)

		require.NoError(t, l.Close())
		require.Equal(t, data, append([]byte{}, b...), "a held View outlives Close")
		require.Equal(t, 1, l.Views())
		release()
		require.Zero(t, l.Views())
		require.Nil(t, l.data)
		_, _, err = l.View(0, 0)
		require.ErrorIs(t, err, ErrClosed)
		_, err = l.ReadAt(make([]byte, 1), 0)
		require.ErrorIs(t, err, ErrClosed)
		require.NoError(t, l.Close())
	}
}

func TestLocalFileRefusals(t *testing.T) {
	_, err := OpenLocal(filepath.Join(t.TempDir(), "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = OpenLocal(t.TempDir())
	require.ErrorContains(t, err, "not a regular file")
}

func TestLocalFileThatChanges(t *testing.T) {
	for _, size := range []int{1000, 300_000} {
		l, path := localFile(t, noise(1, size))
		require.NoError(t, os.Truncate(path, int64(size/2)))
		_, _, err := l.View(0, size)
		require.ErrorIs(t, err, ErrChanged)
		require.ErrorContains(t, err, "shrank")
		_, err = l.ReadAt(make([]byte, 10), 0)
		require.ErrorIs(t, err, ErrChanged)
		require.NoError(t, os.Remove(path))
		_, _, err = l.View(0, 1)
		require.ErrorIs(t, err, ErrChanged)
		require.NoError(t, os.WriteFile(path, make([]byte, size), 0o600))
		_, _, err = l.View(0, 1)
		require.ErrorIs(t, err, ErrChanged)
		require.ErrorContains(t, err, "replaced")
	}
	l, path := localFile(t, noise(1, 300_000))
	_, release, err := l.View(0, 10)
	require.NoError(t, err)
	release()
	require.NoError(t, os.Truncate(path, 10))
	_, _, err = l.View(0, 10)
	require.ErrorIs(t, err, ErrChanged, "mapped, then truncated")
	require.NoError(t, l.Close())
}

func TestTruncationUnderAViewIsRecoverable(t *testing.T) {
	l, path := localFile(t, noise(1, 1<<20))
	b, release, err := l.View(0, 1<<20)
	require.NoError(t, err)
	defer release()
	require.NoError(t, os.Truncate(path, 0))
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	require.Panics(t, func() {
		sum := byte(0)
		for _, c := range b {
			sum += c
		}
		t.Log(sum)
	})
}

func TestReleaseTwicePanics(t *testing.T) {
	l, _ := localFile(t, []byte("x"))
	_, release, err := l.View(0, 1)
	require.NoError(t, err)
	release()
	require.Panics(t, release)
}

// A released view gives its pages back; views that are still held, and new ones, show the same bytes.
func TestReleasedViewsKeepTheFileReadable(t *testing.T) {
	data := make([]byte, 3*dropFrom+12345)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	path := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, err := OpenLocal(path)
	require.NoError(t, err)
	defer f.Close()
	for _, off := range []int{0, 1, 4095, 4096, 100_001} {
		held, releaseHeld, err := f.View(int64(off), dropFrom+off)
		require.NoError(t, err)
		_, release, err := f.View(0, len(data))
		require.NoError(t, err)
		release()
		require.True(t, bytes.Equal(data[off:off+dropFrom+off], held))
		releaseHeld()
		again, release, err := f.View(int64(off), dropFrom)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data[off:off+dropFrom], again))
		release()
	}
}

func TestUnchanged(t *testing.T) {
	for _, change := range []struct {
		name string
		do   func(path string) error
		says string
	}{
		{"shorter by a byte", func(path string) error { return os.Truncate(path, 299_999) }, "shrank from 300000 to 299999 bytes"},
		{"written to", func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }, "was replaced"},
		{"longer", func(path string) error { return os.Truncate(path, 300_001) }, ""},
		{"deleted", os.Remove, ""}, // the bytes stay until the last mapping goes
	} {
		t.Run(change.name, func(t *testing.T) {
			l, path := localFile(t, noise(1, 300_000))
			defer l.Close()
			require.NoError(t, l.Unchanged(), "not looked at yet")
			_, release, err := l.View(0, 10)
			require.NoError(t, err)
			release()
			require.NoError(t, l.Unchanged())
			require.NoError(t, change.do(path))
			if change.says == "" {
				require.NoError(t, l.Unchanged())
				return
			}
			err = l.Unchanged()
			require.ErrorIs(t, err, ErrChanged)
			require.ErrorContains(t, err, path+" "+change.says)
			require.NoError(t, l.Close())
			require.NoError(t, l.Unchanged(), "no longer used")
		})
	}
}

// What an FS copies out of a local file it reads: whoever asked may not be ready for a fault.
func TestRegisteredFilesAreCopiedByReading(t *testing.T) {
	data := noise(1, 300_000)
	l, path := localFile(t, data)
	defer l.Close()
	f, err := New(Config{Nodes: []Node{{ID: "a", Rack: "r"}}})
	require.NoError(t, err)
	require.NoError(t, f.Register("in", l, 70_001))
	got, err := f.ReadFile("in")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	s, err := f.OpenSource("in")
	require.NoError(t, err)
	across, release, err := s.View(70_000, 2)
	require.NoError(t, err)
	require.Equal(t, data[70_000:70_002], across)
	release()
	require.False(t, l.loaded)
	require.NoError(t, os.Truncate(path, 100))
	_, err = f.ReadFile("in")
	require.ErrorIs(t, err, ErrChanged)
	require.ErrorIs(t, err, ErrNoReplica)
}
