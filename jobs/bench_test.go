package jobs

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// ctx is what examples run in.
var ctx = context.Background()

// benchmark measures a job of one map and one reduce, the plain way.
func benchmark(b *testing.B, bind func(to mapreduce.Destination) (*mapreduce.Plan, error)) {
	b.ReportAllocs()
	for b.Loop() {
		plan, err := bind(mapreduce.Writer("nowhere", io.Discard))
		require.NoError(b, err)
		var bytes int64
		for _, s := range plan.Sources() {
			bytes += s.Size()
		}
		b.SetBytes(bytes)
		require.NoError(b, plan.SetupJob())
		require.NoError(b, plan.Prepare(ctx, mapreduce.PrepareOptions{Reduces: 1}))
		splits, err := plan.Splits(ctx, nil)
		require.NoError(b, err)
		outputs := make([]*mapreduce.MapOutput, len(splits))
		for i, split := range splits {
			outputs[i], err = plan.RunMap(ctx, &mapreduce.MapAttempt{Index: i, Split: split})
			require.NoError(b, err)
		}
		for i := range plan.Reduces() {
			next := 0
			a := &mapreduce.ReduceAttempt{Index: i, Next: func(context.Context) (mapreduce.Segment, error) {
				if next == len(outputs) {
					return mapreduce.Segment{}, io.EOF
				}
				next++
				return outputs[next-1].Segment(i), nil
			}}
			require.NoError(b, plan.RunReduce(ctx, a))
		}
		for _, o := range outputs {
			o.Release()
		}
		require.NoError(b, plan.AbortJob())
	}
}
