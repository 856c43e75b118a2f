package actors

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Collect returns a job's records, or the error of its map. One cluster runs several jobs in turn.
func TestCollect(t *testing.T) {
	c, err := Start(Config{Nodes: 2, BlockSize: 2})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	double := func(in []int, fail error) func(out mapreduce.Output[int]) (*mapreduce.Plan, error) {
		job := mapreduce.MapOnly[int, int]{Map: func(n int, emit func(int)) error {
			emit(2 * n)
			return fail
		}}
		return func(out mapreduce.Output[int]) (*mapreduce.Plan, error) { return job.Bind(mapreduce.Slice(in), out) }
	}
	got, err := Collect(t.Context(), c, double([]int{1, 2, 3}, nil))
	require.NoError(t, err)
	got, err = Collect(t.Context(), c, double(got, nil))
	require.NoError(t, err)
	require.Equal(t, []int{4, 8, 12}, got)

	broken := errors.New("broken")
	_, err = Collect(t.Context(), c, double(got, mapreduce.Permanent(broken)))
	require.ErrorIs(t, err, broken)
	require.ErrorIs(t, err, ErrJobFailed)
	_, err = Collect(t.Context(), c, func(mapreduce.Output[int]) (*mapreduce.Plan, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = Collect(ended, c, double(got, nil))
	require.ErrorIs(t, err, context.Canceled)
}

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
