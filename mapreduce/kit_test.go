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

// must returns the result of a call; an error of the call ends the test:
//
//	plan := must(job.Bind(in, out))(t)
func must[T any](result T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T { require.NoError(t, err); return result }
}

// errorOf returns the error of a call with two results, and drops the other result.
func errorOf[T any](_ T, err error) error { return err }

// ran runs the plan that Bind returned in RunLocal, and returns the error of either.
func ran(p *Plan, err error) error {
	if err == nil {
		_, err = RunLocal(context.Background(), p, LocalOptions{})
	}
	return err
}

// collected runs a job in RunLocal and returns its output records.
func collected[O any](t require.TestingT, bind func(Output[O]) (*Plan, error)) []O {
	var out Collected[O]
	require.NoError(t, ran(bind(out.Output())))
	return must(out.Records())(t)
}

// begun calls SetupJob and Prepare of a plan, and returns its splits.
func begun(t require.TestingT, p *Plan, blocks func(int) []cluster.Block) []cluster.Split {
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
	return must(p.Splits(context.Background(), blocks))(t)
}

// textOf returns a source named text.
func textOf(text string) Source { return Bytes("text", []byte(text)) }

// unread returns an output in memory, for tests that do not look at the output.
func unread[O any]() Output[O] { return new(Collected[O]).Output() }

// sorting returns a job that sorts its records in a total order, by `reduces` reduces.
func sorting[K any](reduces int) Job[K, K, None, Pair[K, None]] {
	return Job[K, K, None, Pair[K, None]]{
		Map:        func(key K, emit func(K, None)) error { emit(key, None{}); return nil },
		TotalOrder: true, Reducers: reduces,
	}
}

// runEngine runs a plan by map and reduce attempts, one after the other, and returns the counters.
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

// sent returns the Next of a reduce attempt; it returns the segments of the last map first.
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
