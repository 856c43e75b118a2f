package scratch

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// left creates a file or directory as a killed process leaves one: not locked. It returns name.
func left(t *testing.T, name string, dir bool) string {
	t.Helper()
	if dir {
		require.NoError(t, os.MkdirAll(filepath.Join(name, "below"), 0o700))
	} else {
		require.NoError(t, os.WriteFile(name, []byte("half"), 0o600))
	}
	return name
}

// Dir and File remove items that no process has locked, but no locked one and none of other names.
func TestSweep(t *testing.T) {
	place := t.TempDir()
	at := func(name string) string { return filepath.Join(place, name) }
	dead := left(t, at("x-123"), true)
	kept := []string{
		left(t, at("x-12a"), true), left(t, at("x-"), true), left(t, at("ax-1"), true),
		left(t, at("x-1"), false),
	}
	require.NoError(t, os.Symlink(dead, at("x-7")))
	f, err := os.Create(at("probe"))
	require.NoError(t, err)
	if !locked(f) {
		t.Skip("no locks here")
	}
	require.NoError(t, f.Close())
	one, err := Dir(place, "x-")
	require.NoError(t, err)
	require.NoDirExists(t, dead)
	two, err := Dir(place, "x-")
	require.NoError(t, err)
	for _, name := range append(kept, one.Name(), two.Name()) {
		_, err := os.Lstat(name)
		require.NoError(t, err, name)
	}
	require.NoError(t, one.Remove())
	require.NoError(t, one.Remove(), "once more")
	file, err := File(place, "x-")
	require.NoError(t, err)
	require.NoFileExists(t, kept[3], "of files")
	_, err = file.Write([]byte("whole"))
	require.NoError(t, err)
	require.NoError(t, file.Rename(at("done"), 0o640))
	require.NoError(t, file.Remove(), "it is no longer ours")
	RemoveAll()
	require.FileExists(t, at("done"))
	require.NoDirExists(t, two.Name())
	require.NoError(t, two.Remove())
}

// Goroutines may create, sweep and remove items at once: none removes an item of another.
func TestManyAtOnce(t *testing.T) {
	place := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				d, err := Dir(place, "x-")
				if !noError(t, err) {
					return
				}
				noError(t, os.WriteFile(filepath.Join(d.Name(), "a"), nil, 0o600))
				_, err = os.Stat(d.Name())
				noError(t, err)
				noError(t, d.Remove())
			}
		})
	}
	all.Wait()
	list, err := os.ReadDir(place)
	require.NoError(t, err)
	require.Empty(t, list)
}

func noError(t *testing.T, err error) bool {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	return err == nil
}
