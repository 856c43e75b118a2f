package serve

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// An upload that began before a job cannot complete in the job's output.
func TestSlowPutsStayOutOfOutputs(t *testing.T) {
	for _, state := range []string{"", t.TempDir()} {
		b := withTokens(t, func(cfg *Config) { cfg.StoreBytes, cfg.State = 1<<20, state })
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- b.as("bob").Put(t.Context(), "out/part-r-00099", r) }()
		_, err := w.Write([]byte("x"))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return coming(b.s.ledger) == 1 }, 10*time.Second, time.Millisecond)
		j, err := b.as("ann").Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", "dfs:out"}}, "")
		require.NoError(t, err)
		end, err := b.as("ann").Wait(t.Context(), j.ID, nil)
		require.NoError(t, err)
		require.Equal(t, api.Succeeded, end.State, end.Error)
		require.NoError(t, w.Close())
		refused(t, <-done, "exists")
		_, err = b.as("ann").Get(t.Context(), "out/part-r-00099")
		refused(t, err, "not-found")
	}
}

// coming returns the bytes that current uploads have claimed.
func coming(l *ledger) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.coming
}
