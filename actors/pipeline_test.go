package actors

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// The first error of a step ends the other steps and their jobs, and releases all datasets.
func TestPipelineFails(t *testing.T) {
	c := start(t, Config{Nodes: 2, IdleMemory: -1})
	broken := errors.New("broken")
	made, begun := make(chan struct{}), make(chan struct{})
	var kept *Keyed[string, pair]
	err := c.Pipeline(t.Context(), func(_ context.Context, p *Pipeline) error {
		kept = keptCounts(t, p, prose(1, 20), 2)
		kept.Retain()
		close(made)
		<-begun
		return broken
	}, func(ctx context.Context, p *Pipeline) error {
		<-made
		plan, err := mapreduce.MapOnly[int, int]{MapTask: func(task *mapreduce.Task) (mapreduce.Filter[int, int], error) {
			return mapreduce.Filter[int, int]{Map: func(_ int, _ func(int)) error {
				close(begun)
				<-task.Context().Done()
				return context.Cause(task.Context())
			}}, nil
		}}.Bind(mapreduce.Slice([]int{1}), new(mapreduce.Collected[int]).Output())
		if err != nil {
			return err
		}
		_, err = RunOn(ctx, p, plan, SubmitOptions{})
		if !errors.Is(err, ErrJobKilled) || !errors.Is(err, broken) {
			t.Errorf("the second step: %v", err)
		}
		return err
	})
	require.Equal(t, broken, err)
	_, err = kept.Collect(t.Context())
	require.ErrorIs(t, err, cluster.ErrReleased)
	require.Empty(t, c.env.datasets.live)
	c.requireNothingHeld(t)

	err = c.Pipeline(t.Context(), func(context.Context, *Pipeline) error { panic("oops") })
	require.ErrorContains(t, err, "panic: oops")
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, c.Pipeline(ended, func(context.Context, *Pipeline) error { return nil }), context.Canceled)
}

// A pipeline that succeeds releases its datasets, except those with a call of Retain.
func TestPipelineRetains(t *testing.T) {
	c := start(t, Config{})
	var first, second *Keyed[string, pair]
	var pipe *Pipeline
	require.NoError(t, c.Pipeline(t.Context(), func(_ context.Context, p *Pipeline) error {
		first = keptCounts(t, p, "a b a", 1)
		second = doubled(t, p, first)
		second.Retain()
		pipe = p
		return nil
	}))
	_, err := first.Collect(t.Context())
	require.ErrorIs(t, err, cluster.ErrReleased)
	got, err := second.Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []pair{{First: "a", Second: 4}, {First: "b", Second: 2}}, got)
	_, err = keptCounts(t, pipe, "late", 1).Collect(t.Context())
	require.ErrorIs(t, err, cluster.ErrReleased)
	second.Release()
	require.Empty(t, c.env.datasets.live)
}

const many = 1000 // a limit of rounds that no test reaches

// Iterate keeps the datasets of at most two rounds, and at the end only the last one.
func TestIterate(t *testing.T) {
	c := start(t, Config{Nodes: 2})
	begin := keptCounts(t, c, "a b a", 2)
	var made []*Keyed[string, pair]
	step := func(_ context.Context, round int, d *Keyed[string, pair]) (*Keyed[string, pair], error) {
		require.Len(t, made, round-1)
		next := doubled(t, c, d)
		made = append(made, next)
		return next, nil
	}
	until := func(_ context.Context, round int, before, after *Keyed[string, pair]) (bool, error) {
		require.LessOrEqual(t, len(c.env.datasets.live), 3)
		_, err := before.Collect(t.Context())
		require.NoError(t, err)
		return round == 4, nil
	}
	last, err := Iterate(t.Context(), begin, many, step, until)
	require.NoError(t, err)
	got, err := last.Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(32), got[0].Second+got[1].Second-16)
	require.Len(t, c.env.datasets.live, 2)
	last.Release()

	same, err := Iterate(t.Context(), begin, many, func(_ context.Context, _ int, d *Keyed[string, pair]) (*Keyed[string, pair], error) {
		return d, nil
	}, func(_ context.Context, round int, _, _ *Keyed[string, pair]) (bool, error) { return round == 2, nil })
	require.NoError(t, err)
	require.Same(t, begin, same)
	require.Len(t, c.env.datasets.live, 1)
	double := func(_ context.Context, _, n int) (int, error) { return 2 * n, nil }
	n, err := Iterate(t.Context(), 1, many, double,
		func(_ context.Context, _, _, n int) (bool, error) { return n > 100, nil })
	require.NoError(t, err)
	require.Equal(t, 128, n)
	for rounds, want := range []int{1, 2, 4, 8} {
		n, err = Iterate(t.Context(), 1, rounds, double, nil)
		require.NoError(t, err)
		require.Equal(t, want, n)
		var asked []int
		n, err = Iterate(t.Context(), 1, rounds, double, func(_ context.Context, round, _, _ int) (bool, error) {
			asked = append(asked, round)
			return false, nil
		})
		require.NoError(t, err)
		require.Equal(t, want, n)
		require.Len(t, asked, max(rounds-1, 0), "between two rounds")
	}
}

// releasable is data that counts the calls of its Release method.
type releasable struct{ releases int }

func (c *releasable) Release() { c.releases++ }

// However Iterate ends, it releases the data of each round once, except its result. It never
// releases the initial data, which is the caller's.
func TestIterateReleasesWhatItMade(t *testing.T) {
	no := errors.New("no")
	for _, end := range []string{"enough", "step", "until", "context"} {
		ctx, cancel := context.WithCancel(t.Context())
		var made []*releasable
		start := new(releasable)
		last, err := Iterate(ctx, start, many, func(_ context.Context, round int, _ *releasable) (*releasable, error) {
			if end == "step" && round == 3 {
				return nil, no
			}
			made = append(made, new(releasable))
			return made[len(made)-1], nil
		}, func(_ context.Context, round int, _, _ *releasable) (bool, error) {
			switch {
			case end == "until" && round == 3:
				return false, no
			case end == "context" && round == 3:
				cancel()
			}
			return round == 4, nil
		})
		cancel()
		require.Zero(t, start.releases, end)
		require.ErrorIs(t, err, map[string]error{"step": no, "until": no, "context": context.Canceled}[end], end)
		for i, c := range made {
			require.Equal(t, c != last, c.releases == 1, "%s: round %d released %d times", end, i+1, c.releases)
		}
	}
}

// keeper is data with a Release method that can be compared.
type keeper struct{ of *int }

func (keeper) Release() {}

type uncomparable struct{ _ []int }

func (uncomparable) Release() {}

// Iterate regards two values as the same data if they have a Release method and are equal. Values
// without that method, or of a type that cannot be compared, are never the same.
func TestSameData(t *testing.T) {
	a, b := new(int), new(int)
	require.True(t, same(keeper{a}, keeper{a}))
	require.False(t, same(keeper{a}, keeper{b}))
	require.False(t, same(1, 1))
	require.False(t, same(uncomparable{}, uncomparable{}))
	require.False(t, same(keeper{a}, uncomparable{}))
}
