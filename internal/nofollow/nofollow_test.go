package nofollow

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A path with a symbolic link anywhere in it is an error, even if the link leads to a place below
// the root.
func TestLinksAreRefused(t *testing.T) {
	at := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(at, "a", "b"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(at, "a", "b", "f"), []byte("text"), 0o600))
	for link, to := range map[string]string{"dirlink": "a", "a/inner": "b", "a/b/file": "f", "out": os.TempDir(), "dangling": "none"} {
		require.NoError(t, os.Symlink(to, filepath.Join(at, link)))
	}
	root, err := os.OpenRoot(at)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	for _, name := range []string{".", "a", "a/b"} {
		dir, err := Dir(root, name, false)
		require.NoError(t, err, name)
		require.NoError(t, dir.Close())
	}
	for _, create := range []bool{false, true} {
		for _, name := range []string{"dirlink", "dirlink/b", "a/inner", "a/inner/c", "out", "out/x", "dangling", "a/b/f", "a/b/f/x"} {
			_, err := Dir(root, name, create)
			require.ErrorIs(t, err, ErrLink, name)
		}
	}
	_, err = Dir(root, "new/er", false)
	require.ErrorIs(t, err, fs.ErrNotExist)
	dir, err := Dir(root, "new/er", true)
	require.NoError(t, err)
	require.NoError(t, dir.Close())
	require.DirExists(t, filepath.Join(at, "new", "er"))

	f, err := Open(root, "a/b/f")
	require.NoError(t, err)
	text, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	require.NoError(t, f.Close())
	for _, name := range []string{"dirlink/b/f", "a/inner/f", "a/b/file", "out", "dangling"} {
		_, err := Open(root, name)
		require.ErrorIs(t, err, ErrLink, name)
	}
	_, err = Open(root, "a/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A directory that another process replaces by another one meanwhile is no link.
func TestReplacedDirectoriesAreOpened(t *testing.T) {
	at := t.TempDir()
	for _, name := range []string{"a", "b"} {
		require.NoError(t, os.Mkdir(filepath.Join(at, name), 0o700))
	}
	root, err := os.OpenRoot(at)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	var over atomic.Bool
	var swaps sync.WaitGroup
	defer swaps.Wait()
	defer over.Store(true)
	swaps.Go(func() {
		for !over.Load() {
			for _, to := range [][2]string{{"a", "c"}, {"b", "a"}, {"c", "b"}} {
				_ = root.Rename(to[0], to[1])
			}
		}
	})
	for range 20_000 {
		dir, err := Dir(root, "a", false)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, dir.Close())
	}
}
