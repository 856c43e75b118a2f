package mapreduce

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// A record of a slice counts as one byte read, and a map that must stop does so within 256 records.
func TestSliceIsReadInSteps(t *testing.T) {
	over := errors.New("no more of interest")
	for _, n := range []int{1, 255, 256, 257, 1000} {
		for _, stop := range []int{-1, 0, 255, 256, 300, 999} {
			ctx, cancel := context.WithCancelCause(t.Context())
			mapped := 0
			p := must(MapOnly[int, int]{Map: func(int, func(int)) error {
				if mapped++; mapped == stop {
					cancel(over)
				}
				return nil
			}}.Bind(Slice(make([]int, n)), unread[int]()))(t)
			splits := begun(t, p, nil)
			require.Len(t, splits, 1)
			if stop == 0 {
				cancel(over)
			}
			var progress cluster.Progress
			_, err := p.RunMap(ctx, &cluster.MapAttempt{Split: splits[0], Resources: cluster.Resources{Progress: &progress}})
			if stop < 0 || stop > n {
				require.NoError(t, err)
				require.Equal(t, n, mapped)
				require.EqualValues(t, n, progress.Bytes.Load())
			} else {
				require.ErrorIs(t, err, over)
				require.LessOrEqual(t, mapped, (stop+255)/256*256)
			}
			cancel(nil)
			require.NoError(t, p.AbortJob())
		}
	}
}
