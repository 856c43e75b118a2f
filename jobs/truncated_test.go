package jobs

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// shrinking is a mapped file that is cut to its first page once a View shows it.
type shrinking struct{ *dfs.LocalFile }

func (s shrinking) View(off int64, n int) ([]byte, func(), error) {
	b, release, err := s.LocalFile.View(off, n)
	if err == nil {
		err = os.Truncate(s.Name(), 4096)
	}
	return b, release, err
}

// If a mapped file shrinks during a search, the attempt fails and the process does not crash.
func TestSearchOfTruncatedFileIsAnErrorOfTheAttempt(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(false))
	for _, pattern := range []string{"never there", "(?i)never", "", "^$", "[aeiou]t"} {
		t.Run(pattern, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "text")
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("0123456789abcde\n"), 1<<16), 0o600))
			file, err := dfs.OpenLocal(path)
			require.NoError(t, err)
			src, err := mapreduce.Stored(shrinking{file})
			require.NoError(t, err)
			bind := raw(must(GrepCount(pattern, GrepOptions{}, src)), mapreduce.Chunks(src))
			p, err := bind(mapreduce.Writer("-", io.Discard))
			require.NoError(t, err)
			require.NoError(t, p.Prepare(ctx, cluster.PrepareOptions{}))
			_, err = p.RunMap(ctx, &cluster.MapAttempt{Split: cluster.Split{Length: src.Size()}})
			require.ErrorIs(t, err, mapreduce.ErrInputChanged)
			require.ErrorContains(t, err, path+" shrank")
			require.Zero(t, file.Views())
		})
	}
}
