package mapreduce

import (
	"context"
	"io"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// runEngine runs a plan through map and reduce attempts, one after the other.
func runEngine(t testing.TB, p *Plan, reduces int, blocks func(int) []cluster.Block, res cluster.Resources) *counter.Set {
	t.Helper()
	return engine(t, p, reduces, blocks, res)
}

func engine(t require.TestingT, p *Plan, reduces int, blocks func(int) []cluster.Block, res cluster.Resources) *counter.Set {
	ctx := context.Background()
	total := new(counter.Set)
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(ctx, cluster.PrepareOptions{Reduces: reduces}))
	splits := must(p.Splits(ctx, blocks))(t)
	var outs []*cluster.MapOutput
	for i, s := range splits {
		a := &cluster.MapAttempt{Index: i, Split: s, Resources: res}
		a.Counters = total
		out := must(p.RunMap(ctx, a))(t)
		if p.MapOnly() {
			require.NoError(t, p.CommitTask(a.ID()))
		}
		outs = append(outs, out)
	}
	for r := range p.Reduces() {
		a := &cluster.ReduceAttempt{Index: r, Resources: res, Next: sent(r, outs...)}
		a.Counters = total
		require.NoError(t, p.RunReduce(ctx, a))
		require.NoError(t, p.CommitTask(a.ID()))
	}
	for _, o := range outs {
		o.Release()
	}
	require.NoError(t, p.CommitJob())
	return total
}

// sent is the Next of a reduce: segments arrive last map first.
func sent(partition int, outs ...*cluster.MapOutput) func(context.Context) (cluster.Segment, error) {
	next := len(outs)
	return func(context.Context) (cluster.Segment, error) {
		if next--; next < 0 {
			return cluster.Segment{}, io.EOF
		}
		return outs[next].Segment(partition), nil
	}
}

func wordCount(combine bool) Job[[]byte, string, int64, Pair[string, int64]] {
	j := Job[[]byte, string, int64, Pair[string, int64]]{
		Name: "wordcount",
		Map: func(line []byte, emit func(string, int64)) error {
			start := -1
			for i, c := range append(slices.Clip(line), ' ') {
				switch {
				case c == ' ' && start >= 0:
					emit(string(line[start:i]), 1)
					start = -1
				case c != ' ' && start < 0:
					start = i
				}
			}
			return nil
		},
		Reduce: func(word string, counts iter.Seq[int64], emit func(Pair[string, int64])) error {
			var n int64
			for c := range counts {
				n += c
			}
			emit(MakePair(word, n))
			return nil
		},
	}
	if combine {
		j.Combine = func(a, b int64) int64 { return a + b }
	}
	return j
}
