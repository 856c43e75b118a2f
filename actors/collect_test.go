package actors

import (
	"context"
	"errors"
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
