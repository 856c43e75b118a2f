package dfs

import (
	"io"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// All methods refuse names that io/fs forbids; the root cannot be written, moved or removed.
func TestNamesThatCannotBe(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	require.NoError(t, f.WriteFile("d/x", []byte("x")))
	for _, name := range []string{".", "", "/d", "d/", "d/../d", "d//x"} {
		_, err := f.Create(name)
		require.ErrorIs(t, err, fs.ErrInvalid, name)
		require.ErrorIs(t, f.Register(name, Bytes("b", nil), 0), fs.ErrInvalid, name)
		require.ErrorIs(t, f.Remove(name), fs.ErrInvalid, name)
		require.ErrorIs(t, f.Rename(name, "y"), fs.ErrInvalid, name)
		require.ErrorIs(t, f.Rename("d/x", name), fs.ErrInvalid, name)
	}
	require.ErrorIs(t, f.Rename("d", "d"), fs.ErrInvalid)
	require.NoError(t, f.Rename("d", "dd"), "a name may begin with the old one")
	requireFile(t, f, "dd/x", "x")
}

// A directory cannot be read as a file, and a file has no entries and cannot be a parent.
func TestFilesAreNoDirectories(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	require.NoError(t, f.WriteFile("d/x", []byte("x")))
	_, err := f.Blocks("d")
	require.ErrorContains(t, err, "is a directory")
	_, err = fs.ReadFile(f, "d")
	require.ErrorContains(t, err, "is a directory")
	_, err = f.ReadDir("d/x")
	require.ErrorContains(t, err, "not a directory")
	dir, err := f.Open("d")
	require.NoError(t, err)
	_, err = dir.Read(make([]byte, 1))
	require.ErrorContains(t, err, "is a directory")
	for _, missing := range []func(string) error{
		func(name string) error { _, err := f.Blocks(name); return err },
		func(name string) error { _, err := f.Open(name); return err },
		func(name string) error { _, err := f.ReadDir(name); return err },
		f.Remove,
	} {
		require.ErrorIs(t, missing("d/y"), fs.ErrNotExist)
		require.ErrorIs(t, missing("y/x"), fs.ErrNotExist)
		require.ErrorIs(t, missing("d/x/y"), fs.ErrNotExist)
	}
}

// RemoveEmpty removes a directory without entries, and nothing else.
func TestRemoveEmpty(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	require.NoError(t, f.WriteFile("d/e/x", []byte("x")))
	for _, kept := range []string{"d", "d/e", "d/e/x", ".", "y"} {
		require.NoError(t, f.RemoveEmpty(kept))
	}
	requireFile(t, f, "d/e/x", "x")
	require.NoError(t, f.Remove("d/e/x"))
	require.NoError(t, f.RemoveEmpty("d/e"))
	list, err := f.ReadDir("d")
	require.NoError(t, err)
	require.Empty(t, list)
}

// A directory's time is that of the last name added to it or removed from it. A file's is that of
// its last written bytes.
func TestTimesOfNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, Config{Nodes: racks(1, 1)})
		modified := func(name string) time.Time {
			info, err := f.Stat(name)
			require.NoError(t, err)
			return info.ModTime()
		}
		began := time.Now()
		step := func(n int) time.Time { return began.Add(time.Duration(n) * time.Hour) }
		time.Sleep(time.Hour)
		require.NoError(t, f.WriteFile("d/e/x", nil))
		require.Equal(t, step(1), modified("d/e/x"))
		time.Sleep(time.Hour)
		require.NoError(t, f.WriteFile("d/e/y", nil))
		require.Equal(t, step(2), modified("d/e"))
		require.Equal(t, step(1), modified("d"), "its own names are the same")
		require.Equal(t, step(1), modified("."))
		time.Sleep(time.Hour)
		require.NoError(t, f.Rename("d/e/x", "d/x"))
		require.Equal(t, step(3), modified("d/e"))
		require.Equal(t, step(3), modified("d"))
		require.Equal(t, step(1), modified("d/x"))
		time.Sleep(time.Hour)
		require.NoError(t, f.Remove("d/e/y"))
		require.Equal(t, step(4), modified("d/e"))
		require.Equal(t, step(3), modified("d"))
		time.Sleep(time.Hour)
		require.NoError(t, f.WriteFile("d/new/z", nil))
		require.Equal(t, step(5), modified("d"), "it has a new directory")
	})
}

// Seek to a wrong place is an error that names the file.
func TestSeekToAWrongPlace(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	require.NoError(t, f.WriteFile("x", []byte("0123456789")))
	file, err := f.Open("x")
	require.NoError(t, err)
	for offset, whence := range map[int64]int{-1: io.SeekStart, 0: 3} {
		_, err = file.(io.Seeker).Seek(offset, whence)
		require.ErrorIs(t, err, fs.ErrInvalid)
		require.ErrorContains(t, err, "seek x")
	}
}
