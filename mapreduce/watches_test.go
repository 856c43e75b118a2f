package mapreduce

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
	for w.Check() == nil { // the flag is set by another goroutine
		runtime.Gosched()
	}
	require.ErrorIs(t, w.Check(), killed)
}
