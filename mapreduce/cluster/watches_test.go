package cluster

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWatchSeesCancellation(t *testing.T) {
	killed := errors.New("killed")
	ctx, cancel := context.WithCancelCause(context.Background())
	w, stop := NewWatch(ctx, &Resources{})
	defer stop()
	require.NoError(t, w.Now())
	require.NoError(t, w.Check())
	cancel(killed)
	require.ErrorIs(t, w.Now(), killed)
	for w.Check() == nil { // another goroutine sets the flag that Check reads
		runtime.Gosched()
	}
	require.ErrorIs(t, w.Check(), killed)
}

// Pulse changes after each sign of progress, and not otherwise.
func TestPulse(t *testing.T) {
	var p Progress
	signs := map[string]func(){
		"read":    func() { p.Bytes.Add(1) },
		"records": func() { p.Records.Add(1) },
		"spilled": func() { p.Spilled.Add(1) },
		"life":    func() { p.life.Sign() },
	}
	for name, sign := range signs {
		was := p.Pulse()
		require.Equal(t, was, p.Pulse(), "nothing has happened")
		sign()
		require.NotEqual(t, was, p.Pulse(), name)
	}
}
