package mapreduce

import (
	"context"
	"errors"
	"io"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

func TestPauseAndProgress(t *testing.T) {
	stop := errors.New("stop")
	pauses := 0
	var progress cluster.Progress
	p := must(keepLines().Bind(Lines(textOf("a\nb\n")), new(Collected[[]byte]).Output()))(t)
	require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
	a := &cluster.MapAttempt{Split: cluster.Split{Length: 4}, Resources: cluster.Resources{Progress: &progress, Pause: func(context.Context) error {
		pauses++
		return nil
	}}}
	must(p.RunMap(context.Background(), a))(t)
	require.Positive(t, pauses)
	require.Equal(t, int64(4), progress.Bytes.Load())
	require.Equal(t, int64(2), progress.Records.Load())
	a.Pause = func(context.Context) error { return stop }
	require.ErrorIs(t, errorOf(p.RunMap(context.Background(), a)), stop)
}

// TestPauseEndsAttemptsSoon: Pause is called between records, groups and values, so its error soon
// ends the attempt.
func TestPauseEndsAttemptsSoon(t *testing.T) {
	stop := errors.New("stop")
	for _, at := range []string{"record", "group", "value"} {
		seen := 0
		hit := func(place string) {
			if place == at {
				seen++
			}
		}
		job := Job[int, int, int, int]{
			Map: func(n int, emit func(int, int)) error {
				hit("record")
				if at == "value" {
					n = 0
				}
				emit(n, n)
				return nil
			},
			Reduce: func(_ int, values iter.Seq[int], _ func(int)) error {
				hit("group")
				for range values {
					hit("value")
				}
				return nil
			},
		}
		numbers := make([]int, 2000)
		for i := range numbers {
			numbers[i] = i
		}
		p := must(job.Bind(Slice(numbers), Text[int](Writer("-", io.Discard))))(t)
		ctx := context.Background()
		require.NoError(t, p.Prepare(ctx, cluster.PrepareOptions{}))
		res := cluster.Resources{Pause: func(context.Context) error {
			if seen >= 100 {
				return stop
			}
			return nil
		}}
		out, err := p.RunMap(ctx, &cluster.MapAttempt{Split: cluster.Split{Length: 2000}, Resources: res})
		if at != "record" {
			require.NoError(t, err)
			err = p.RunReduce(ctx, &cluster.ReduceAttempt{Resources: res, Next: sent(0, out)})
			out.Release()
		}
		require.ErrorIs(t, err, stop)
		require.Less(t, seen, 100+2*cluster.PauseEvery, at)
	}
}
