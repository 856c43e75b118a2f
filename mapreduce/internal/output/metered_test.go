package output

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// File bytes are charged before they are written, and returned when an uncommitted attempt is
// removed.
func TestMeteredOutput(t *testing.T) {
	full := errors.New("full")
	fsys, err := dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}}})
	require.NoError(t, err)
	for _, dest := range []func() Destination{
		func() Destination { return Dir(filepath.Join(t.TempDir(), "out")) },
		func() Destination { return InDFS(fsys, "out") },
	} {
		sum := int64(0)
		c := NewCommitter(dest().Metered(func(n int64) error {
			if sum+n > 10 {
				return full
			}
			sum += n
			return nil
		}))
		require.NoError(t, c.SetupJob())
		first, second := reduce(0, 0), reduce(0, 1)
		writePart(t, c, first, "1234567")
		w, err := c.Open(second)
		require.NoError(t, err)
		_, _ = w.Write([]byte("1234567"))
		err = w.Close()
		require.ErrorIs(t, err, full)
		require.True(t, fault.IsPermanent(err))
		require.EqualValues(t, 7, sum)
		require.NoError(t, c.AbortTask(second))
		require.NoError(t, c.CommitTask(first))
		require.NoError(t, c.AbortTask(first), "what is committed stays")
		require.EqualValues(t, 7, sum)
		writePart(t, c, reduce(1, 0), "123")
		require.NoError(t, c.AbortTask(reduce(1, 0)))
		require.EqualValues(t, 7, sum)
		require.NoError(t, c.AbortJob())
	}
}
