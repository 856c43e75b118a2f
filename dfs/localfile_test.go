package dfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
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
		b, release := viewOf(t, l, 0, size)
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
	_, release := viewOf(t, l, 0, 10)
	release()
	require.NoError(t, os.Truncate(path, 10))
	_, _, err := l.View(0, 10)
	require.ErrorIs(t, err, ErrChanged, "mapped, then truncated")
	require.NoError(t, l.Close())
}

func TestTruncationUnderAViewIsRecoverable(t *testing.T) {
	l, path := localFile(t, noise(1, 1<<20))
	b, release := viewOf(t, l, 0, 1<<20)
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
	_, release := viewOf(t, l, 0, 1)
	release()
	require.Panics(t, release)
}

// After a View's release dropped its pages, other Views, old and new, still show the file's bytes.
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
		held, releaseHeld := viewOf(t, f, int64(off), dropFrom+off)
		_, release := viewOf(t, f, 0, len(data))
		release()
		require.True(t, bytes.Equal(data[off:off+dropFrom+off], held))
		releaseHeld()
		again, release := viewOf(t, f, int64(off), dropFrom)
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
		{
			"shorter by a byte", func(path string) error { return os.Truncate(path, 299_999) },
			"shrank from 300000 to 299999 bytes",
		},
		{"touched", func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) }, "was replaced"},
		{"longer", func(path string) error { return os.Truncate(path, 300_001) }, "grew from 300000 to 300001 bytes"},
		{"written to in place", overwrite, "was replaced or written to"},
		{"written to, and its time set back", func(path string) error {
			info, err := os.Stat(path)
			return errors.Join(err, overwrite(path), os.Chtimes(path, time.Time{}, info.ModTime()))
		}, "was written to, or its attributes"},
		{"copied over by a longer one", func(path string) error {
			return os.WriteFile(path, make([]byte, 400_000), 0o600)
		}, "grew from 300000 to 400000 bytes"},
		{"deleted", os.Remove, ""}, // the bytes remain until the last mapping is removed
		{"replaced", func(path string) error {
			return errors.Join(overwrite(path+".new"), os.Rename(path+".new", path))
		}, ""},
	} {
		t.Run(change.name, func(t *testing.T) {
			l, path := localFile(t, noise(1, 300_000))
			defer l.Close()
			require.NoError(t, l.Unchanged(), "not looked at yet")
			b, release := viewOf(t, l, 0, 300_000)
			defer func() { release() }()
			require.NoError(t, l.Unchanged())
			require.NoError(t, change.do(path))
			if change.says == "" {
				require.NoError(t, l.Unchanged())
				require.True(t, bytes.Equal(noise(1, 300_000), b))
				return
			}
			err := l.Unchanged()
			require.ErrorIs(t, err, ErrChanged)
			require.ErrorContains(t, err, path+" "+change.says)
			release()
			release = func() {}
			require.NoError(t, l.Close())
			require.NoError(t, l.Unchanged(), "no longer used")
		})
	}
}

// When an FS copies bytes of a local file, it reads the file and not the mapping: its caller may
// not handle a page fault.
func TestRegisteredFilesAreCopiedByReading(t *testing.T) {
	data := noise(1, 300_000)
	l, path := localFile(t, data)
	defer l.Close()
	f, err := New(Config{Nodes: []Node{{ID: "a", Rack: "r"}}})
	require.NoError(t, err)
	require.NoError(t, f.Register("in", l, 70_001))
	got, err := fs.ReadFile(f, "in")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	require.False(t, l.loaded)
	require.NoError(t, os.Truncate(path, 100))
	_, err = fs.ReadFile(f, "in")
	require.ErrorIs(t, err, ErrChanged)
	require.NotErrorIs(t, err, ErrNoReplica, "it is the file's fault, not the nodes'")
}

// overwrite writes 300,000 bytes at the start of the file at path; it creates a missing file.
func overwrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(noise(2, 300_000))
	return errors.Join(err, f.Close())
}

// Bytes that were copied before the file changed stay valid; a read after the change is an error.
func TestCopiesOfAChangedFile(t *testing.T) {
	data := noise(1, 1000)
	l, path := localFile(t, data)
	defer l.Close()
	b, release := viewOf(t, l, 0, 1000)
	require.NoError(t, overwrite(path))
	require.Equal(t, data, b)
	require.NoError(t, l.Unchanged())
	release()
	require.Nil(t, l.data, "ten thousand small files are not held until the job ends")
	_, _, err := l.View(0, 1000)
	require.ErrorIs(t, err, ErrChanged)
}

// A write in the same clock tick as the opening keeps the file's times; Unchanged must detect it.
func TestWriteWithinTheTickOfOpening(t *testing.T) {
	for range 10 {
		l, path := localFile(t, noise(1, 100_000))
		require.NoError(t, os.WriteFile(path, noise(2, 100_000), 0o600)) // perhaps in the clock tick of the opening
		b, release, err := l.View(0, 100_000)
		if err == nil {
			require.True(t, bytes.Equal(noise(2, 100_000), b), "what it holds since the last tick")
			require.NoError(t, os.WriteFile(path, noise(1, 100_000), 0o600))
			require.ErrorIs(t, l.Unchanged(), ErrChanged)
			release()
		}
		require.NoError(t, l.Close())
	}
}

func TestSettles(t *testing.T) {
	now := time.Unix(1000, 500_000_000)
	for _, c := range []struct {
		name    string
		changed time.Duration // before now
		size    int64
		want    time.Duration
	}{
		{"long ago", time.Hour, 1 << 40, 0},
		{"just now", 0, 0, 20 * time.Millisecond},
		{"within the tick", 20*time.Millisecond - 1, 0, 1},
		{"a tick ago", 20 * time.Millisecond, 0, 0},
		{"a write of 256 MiB may go on", 100 * time.Millisecond, 256 << 20, 170 * time.Millisecond},
		{"and a larger one not for ever", 100 * time.Millisecond, 1 << 40, 420 * time.Millisecond},
		{"whole seconds", 500 * time.Millisecond, 0, 1500 * time.Millisecond},
		{"by a clock that is a little ahead", -10 * time.Millisecond, 0, 30 * time.Millisecond},
		{"as far ahead as it takes", -20 * time.Millisecond, 0, 40 * time.Millisecond},
		{"and further", -20*time.Millisecond - 1, 0, 0},
		{"by a clock that is ahead", -time.Hour, 0, 0},
	} {
		require.Equal(t, c.want, stamp{size: c.size, changed: now.Add(-c.changed)}.settles(now), c.name)
	}
}

// If no more descriptors may be kept, files are mapped without one, and their bytes are right.
func TestMappingsWithoutDescriptors(t *testing.T) {
	had := kept.Load()
	kept.Add(keepable())
	defer func() { require.Equal(t, had, kept.Add(-keepable())) }()
	data := noise(1, 300_000)
	l, path := localFile(t, data)
	b, release := viewOf(t, l, 0, 300_000)
	require.Nil(t, l.file)
	require.True(t, bytes.Equal(data, b))
	require.NoError(t, l.Unchanged())
	release()
	require.Nil(t, l.data)
	_, release = viewOf(t, l, 5, 10)
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, l.Unchanged(), ErrChanged, "nobody can tell any more")
	release()
	require.NoError(t, l.Close())
}

func TestFilesThatCannotBeMapped(t *testing.T) {
	data := noise(1, 300_000)
	l, path := localFile(t, data)
	l.ranges = true
	b, release := viewOf(t, l, 7, 200_000)
	require.True(t, bytes.Equal(data[7:200_007], b))
	require.Equal(t, 1, l.Views())
	require.NoError(t, overwrite(path))
	require.NoError(t, l.Unchanged())
	release()
	_, _, err := l.View(7, 200_000)
	require.ErrorIs(t, err, ErrChanged)
	require.NoError(t, l.Close())
}

// Anew returns the file that is now at the path: unchanged, written to, replaced or missing.
func TestAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("then"), 0o600))
	then, err := OpenLocal(path)
	require.NoError(t, err)
	same, err := then.Anew()
	require.NoError(t, err)
	require.NoError(t, then.Close())
	b := make([]byte, 4)
	_, err = same.ReadAt(b, 0)
	require.NoError(t, err, "it is closed apart")
	require.Equal(t, "then", string(b))
	n, err := same.ReadAt(b, 2)
	require.Equal(t, 2, n)
	require.Equal(t, io.EOF, err, "as io.ReaderAt has it")

	require.NoError(t, os.WriteFile(path, []byte("and now"), 0o600))
	now, err := then.Anew()
	require.NoError(t, err)
	require.EqualValues(t, 7, now.Size())
	_, err = same.ReadAt(b, 0)
	require.ErrorIs(t, err, ErrChanged)

	require.NoError(t, os.Remove(path))
	_, err = then.Anew()
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Mkdir(path, 0o700))
	_, err = then.Anew()
	require.ErrorContains(t, err, "is not a regular file")
}
