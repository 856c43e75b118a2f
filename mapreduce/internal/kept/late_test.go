package kept

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// An abandoned attempt neither disturbs the next job nor uses memory that was returned.
func TestLateAttempt(t *testing.T) {
	form, err := NewForm[int64]()
	require.NoError(t, err)
	k, root, id := New(Options{}, form, nil), memory.NewBudget(1<<30), attempt.ID{Kind: attempt.Map}
	begin := func() (*output.Committer, io.WriteCloser) {
		c := output.NewCommitter(k.Destination())
		require.NoError(t, c.SetupJob())
		at := c.Part(id)
		at.Tasks, at.Budget = 1, root.Sub()
		w, err := c.Store.Create(at)
		require.NoError(t, err)
		return c, w
	}
	run := make([]byte, 64<<10)
	old, late := begin()
	_, err = late.Write(run)
	require.NoError(t, err)
	require.NoError(t, old.AbortJob())
	require.Positive(t, root.Used(), "somebody writes")
	c, w := begin()
	_, err = late.Write(run)
	require.NoError(t, err)
	require.NoError(t, late.Close())
	require.NoError(t, late.Close())
	require.NoError(t, old.AbortTask(id))
	require.NoError(t, old.AbortJob())
	_, err = w.Write(run[:8])
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.ErrorIs(t, old.CommitTask(id), output.ErrEnded)
	require.NoError(t, c.CommitTask(id))
	require.NoError(t, c.CommitJob())
	records, bytes, _ := k.Size()
	require.Equal(t, []int64{1, 8}, []int64{records, bytes})
	k.Release()
	require.Zero(t, root.Used())
}
