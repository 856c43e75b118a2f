package actors

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first signal ends the context of untilSignal, with the signal's name as the cause. Later
// signals have the effect that they had before, also those that the program ignores.
func TestUntilSignal(t *testing.T) {
	others := make(chan os.Signal, 2) // so that SIGTERM does not end the test
	signal.Notify(others, syscall.SIGTERM)
	defer signal.Stop(others)
	ctx, stop := untilSignal(t.Context())
	defer stop()
	require.NoError(t, ctx.Err())
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-ctx.Done()
	require.ErrorContains(t, context.Cause(ctx), "terminated")
	require.Equal(t, syscall.SIGTERM, <-others)

	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	again, stop := untilSignal(t.Context())
	defer stop()
	require.True(t, signal.Ignored(os.Interrupt))
	require.NoError(t, again.Err())
}
