package mapreduce

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// names returns the names of the printed counters.
func names(c *counter.Set) map[string]bool {
	list := map[string]bool{}
	for v := range c.All() {
		list[v.Name] = true
	}
	return list
}

// What nobody counts is not printed as 0: chunks are no records, and a job without reduces has no
// counters of reduces.
func TestCountersThatAreNotMeasured(t *testing.T) {
	text := Bytes("text", []byte(strings.Repeat("a line\n", 1000)))
	filter := MapOnly[[]byte, []byte]{Map: func(chunk []byte, emit func([]byte)) error { emit(chunk); return nil }}
	plan := must(filter.Bind(Chunks(text), unread[[]byte]()))(t)
	c := must(RunLocal(context.Background(), plan, LocalOptions{}))(t)
	require.Equal(t, int64(1), c.Get(counter.MapInputChunks))
	require.Equal(t, map[string]bool{
		"Map input chunks": true, "Map output records": true, "Map output bytes": true, "Bytes Read": true, "Bytes Written": true,
	}, names(c))

	plan = must(filter.Bind(Lines(text), unread[[]byte]()))(t)
	c = must(RunLocal(context.Background(), plan, LocalOptions{}))(t)
	require.Equal(t, int64(1000), c.Get(counter.MapInputRecords))
	require.False(t, names(c)["Map input chunks"])
}

// Hadoop's sum holds: map output, less what Combine takes away in maps and reduces, is what reduces
// are called with.
func TestCombineCountersAddUp(t *testing.T) {
	plan := must(wordCount(true).Bind(Lines(Bytes("one", []byte("a b a\n")), Bytes("two", []byte("b b c\n"))),
		unread[Pair[string, int64]]()))(t)
	c := runEngine(t, plan, 2, nil, cluster.Resources{})
	require.Equal(t, int64(6), c.Get(counter.MapOutputRecords))
	require.Equal(t, int64(6*(1+8)), c.Get(counter.MapOutputBytes), "of keys and values, before Combine")
	require.Equal(t, int64(6+4), c.Get(counter.CombineInputRecords))
	require.Equal(t, int64(4+3), c.Get(counter.CombineOutputRecords))
	require.Equal(t, int64(3), c.Get(counter.ReduceInputRecords))
	require.Equal(t, int64(3), c.Get(counter.ReduceInputGroups))
}

// An attempt that fails counts nothing, whatever it had done and the user had counted.
func TestFailedAttemptsCountNothing(t *testing.T) {
	bad := errors.New("bad")
	ctx := context.Background()
	lines := Lines(textOf("a\nb\nc\n"))
	counted := func(task *Task) { task.Counter("Mine", "began").Add(1) }
	mapper := func(fails error) func(*Task) (Mapper[[]byte, string, int64], error) {
		return func(task *Task) (Mapper[[]byte, string, int64], error) {
			counted(task)
			return Mapper[[]byte, string, int64]{
				Map: func(line []byte, emit func(string, int64)) error {
					emit(string(line), 1)
					return nil
				},
				Close: func(func(string, int64)) error { return fails },
			}, nil
		}
	}
	reducer := func(task *Task) (Reducer[string, int64, string], error) {
		counted(task)
		return Reducer[string, int64, string]{
			Reduce: ignore[string, int64, string],
			Close:  func(func(string)) error { return bad },
		}, nil
	}
	filter := func(task *Task) (Filter[[]byte, string], error) {
		counted(task)
		return Filter[[]byte, string]{
			Map:   func([]byte, func(string)) error { return nil },
			Close: func(func(string)) error { return bad },
		}, nil
	}
	var c counter.Set
	res := cluster.Resources{Counters: &c}
	failed := func(err error) {
		require.ErrorIs(t, err, bad)
		for v := range c.All() {
			require.Zero(t, v.Value, "%s %s", v.Group, v.Name)
		}
		require.Zero(t, c.Named("Mine", "began"))
	}
	prepared := func(p *Plan, err error) *Plan {
		require.NoError(t, err)
		require.NoError(t, p.Prepare(ctx, cluster.PrepareOptions{}))
		return p
	}
	a := &cluster.MapAttempt{Split: cluster.Split{Length: 6}, Resources: res}
	to := func() Output[string] { return Text[string](Writer("-", io.Discard)) }
	for _, sum := range []bool{false, true} {
		type job = Job[[]byte, string, int64, string]
		p := prepared(job{MapTask: mapper(bad), ReduceTask: reducer, Sum: sum}.Bind(lines, to()))
		_, err := p.RunMap(ctx, a)
		failed(err)
		p = prepared(job{MapTask: mapper(nil), ReduceTask: reducer, Sum: sum}.Bind(lines, to()))
		out := must(p.RunMap(ctx, &cluster.MapAttempt{Split: a.Split}))(t)
		failed(p.RunReduce(ctx, &cluster.ReduceAttempt{Next: sent(0, out), Resources: res}))
		out.Release()
	}
	_, err := prepared(MapOnly[[]byte, string]{MapTask: filter}.Bind(lines, to())).RunMap(ctx, a)
	failed(err)
}
