package mapreduce

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// A Reduce whose values end early because its job was canceled has no result.
func TestCanceledReduceHasNoResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		job := Job[string, string, int, Pair[string, int]]{
			Map: func(line string, emit func(string, int)) error { emit(line, 1); return nil },
			Reduce: func(k string, values iter.Seq[int], emit func(Pair[string, int])) error {
				n := 0
				for v := range values {
					n += v
					cancel()
					synctest.Wait()
				}
				emit(MakePair(k, n))
				return nil
			},
			Reducers: 1,
		}
		var out Collected[Pair[string, int]]
		p := must(job.Bind(Slice([]string{"a", "a", "a"}), out.Output()))(t)
		require.ErrorIs(t, errorOf(RunLocal(ctx, p, LocalOptions{})), context.Canceled)
		require.ErrorIs(t, errorOf(out.Records()), output.ErrNotCollected)
	})
}
