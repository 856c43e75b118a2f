package actors

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// keptCounts runs a word count and returns its result as a dataset keyed by word.
func keptCounts(t testing.TB, on Runner, text string, reducers int) *Keyed[string, pair] {
	t.Helper()
	d, err := KeepBy(t.Context(), on, wordOf, bindCounts(text, reducers))
	require.NoError(t, err)
	return d
}

func wordOf(p pair) string { return p.First }

func bindCounts(text string, reducers int) func(mapreduce.Output[pair]) (*mapreduce.Plan, error) {
	return counting(reducers).Over(mapreduce.Lines(mapreduce.Bytes("text", []byte(text))))
}

// doubled runs a job over d and returns a dataset with each count doubled.
func doubled(t testing.TB, on Runner, d *Keyed[string, pair]) *Keyed[string, pair] {
	t.Helper()
	double := mapreduce.Apply(func(p pair) pair { return mapreduce.MakePair(p.First, 2*p.Second) })
	twice, err := KeepBy(t.Context(), on, wordOf, double.Over(d.Aligned()))
	require.NoError(t, err)
	return twice
}

// wordsOfBoth groups two datasets without a shuffle, and returns their words.
func wordsOfBoth(on Runner, a, b *Keyed[string, pair]) ([]string, error) {
	word := func(g mapreduce.Group[string, pair, pair]) string { return g.Key }
	return Collect(context.Background(), on, mapreduce.Apply(word).Over(mapreduce.Grouped(a.Feed(), b.Feed())))
}

// Everything that a cluster does with jobs and datasets, a new Pipeline does without one.
func TestRunnersAreAlike(t *testing.T) {
	text := prose(5, 40)
	work := func(t *testing.T, on Runner) (all []any) {
		counts := keptCounts(t, on, text, 3)
		twice := doubled(t, on, counts)
		list, err := twice.Collect(t.Context())
		require.NoError(t, err)
		words, err := wordsOfBoth(on, counts, twice)
		require.NoError(t, err)
		total, err := Fold(t.Context(), on, counts.Input(), func(p pair) int64 { return p.Second }, func(a, b int64) int64 { return a + b })
		require.NoError(t, err)
		var out mapreduce.Collected[pair]
		plan, err := bindCounts(text, 0)(out.Output())
		require.NoError(t, err)
		res, err := RunOn(t.Context(), on, plan, SubmitOptions{Reduces: 2})
		require.NoError(t, err)
		require.Equal(t, scheduling.JobSucceeded, res.State)
		parts, err := out.Parts()
		require.NoError(t, err)
		_, err = RunOn(t.Context(), on, plan, SubmitOptions{})
		require.ErrorIs(t, err, cluster.ErrPlanUsed)
		_, err = RunOn(t.Context(), on, nil, SubmitOptions{})
		require.ErrorIs(t, err, cluster.ErrNoPlan)
		size := counts.Size()
		counts.Release()
		_, err = Collect(t.Context(), on, mapreduce.Apply(wordOf).Over(counts.Input()))
		require.ErrorIs(t, err, cluster.ErrReleased)
		twice.Release()
		return []any{list, words, total, parts, res.Name, size}
	}
	c, err := Start(Config{Nodes: 2, BlockSize: 100})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	require.Equal(t, work(t, c), work(t, new(Pipeline)))
	d := keptCounts(t, new(Pipeline), text, 1)
	_, err = Collect(t.Context(), c, mapreduce.Apply(wordOf).Over(d.Input()))
	require.ErrorContains(t, err, "reads dataset, which is of another cluster")
	d.Release()
}

// If a node with parts of a dataset dies, the released datasets of its lineage are recomputed for
// it and then freed.
func TestLineageReachesBeyondReleased(t *testing.T) {
	cfg := Config{Nodes: 3, BlockSize: 40, IdleMemory: -1, Memory: 1 << 30, HeartbeatInterval: time.Second, Expiry: 10 * time.Second}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		text := prose(3, 40)
		first := keptCounts(t, c, text, 3)
		second := doubled(t, c, first)
		third := doubled(t, c, second)
		first.Release()
		second.Release()
		used := c.env.memory.Used()
		want, err := third.Collect(t.Context())
		require.NoError(t, err)
		jobs := c.submitted()
		node := third.kept.Hosts()[0]
		require.NoError(t, c.KillNode(node))
		require.Less(t, c.env.memory.Used(), used)
		got, err := third.Collect(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NotContains(t, third.kept.Hosts(), node)
		require.Equal(t, jobs+3, c.submitted())
		pass(time.Second)
		require.Equal(t, used, c.env.memory.Used())
		_, err = second.Collect(t.Context())
		require.ErrorIs(t, err, cluster.ErrReleased)
		third.Release()
		c.requireNothingHeld(t)
	})
}

// After a node's loss, only the job of the lost parts reruns, and only these parts change nodes.
func TestOnlyWhatIsLostIsReplaced(t *testing.T) {
	cfg := Config{Nodes: 4, MapSlots: 1, ReduceSlots: 1, BlockSize: 40, HeartbeatInterval: time.Second, Expiry: 10 * time.Second}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		d := keptCounts(t, c, prose(4, 60), 8)
		before, jobs := d.kept.Hosts(), c.submitted()
		require.NoError(t, c.StopNode(before[0]))
		require.Empty(t, d.kept.Hosts()[0])
		_, err := doubled(t, c, d).Collect(t.Context())
		require.NoError(t, err)
		for i, now := range d.kept.Hosts() {
			require.NotEqual(t, before[0], now)
			if before[i] != before[0] {
				require.Equal(t, before[i], now)
			}
		}
		require.Equal(t, jobs+2, c.submitted())
	})
}

// If a function's captured variable has changed, the recomputed parts differ. Collect then returns
// an error, and no mixture of old and new parts.
func TestLineageThatHasChanged(t *testing.T) {
	c := start(t, Config{Nodes: 2, MapSlots: 1, ReduceSlots: 1, BlockSize: 2})
	numbers := []int{1, 2, 3, 4}
	plus := 0
	d, err := Keep(t.Context(), c, mapreduce.Apply(func(n int) int { return n + plus }).Over(mapreduce.Slice(numbers)))
	require.NoError(t, err)
	plus = 1 // wrong: recomputing a part calls the function once more; capture a copy
	require.NoError(t, c.StopNode(d.kept.Hosts()[0]))
	_, err = d.Collect(t.Context())
	require.ErrorIs(t, err, cluster.ErrOtherData)
	require.ErrorContains(t, err, "dataset 1: part 0 is to be made again")
	plus = 0
	got, err := d.Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, numbers, got)
}

// Collect restarts a job that loses a part of its input dataset while it runs, also if the task
// that finds it lost has failed for another cause before. A plan that can run only once fails with
// the loss.
func TestPartLostWhileItIsRead(t *testing.T) {
	cfg := Config{Nodes: 2, MapSlots: 1, ReduceSlots: 1, HeartbeatInterval: time.Second, Expiry: 10 * time.Second}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		d := keptCounts(t, c, prose(5, 60), 8)
		want, err := d.Collect(t.Context())
		require.NoError(t, err)
		times, loses, fails := 0, 0, error(nil)
		bind := func(out mapreduce.Output[pair]) (*mapreduce.Plan, error) {
			times++
			var once sync.Once
			return mapreduce.MapOnly[pair, pair]{MapTask: func(task *mapreduce.Task) (f mapreduce.Filter[pair, pair], err error) {
				if times == 1 && strings.HasSuffix(task.InputName(), "part 0") {
					once.Do(func() {
						c.env.datasets.lose(d.kept.Hosts()[loses])
						err = fails
					})
				}
				return mapreduce.Filter[pair, pair]{Map: func(p pair, emit func(pair)) error { emit(p); return nil }}, err
			}}.Bind(d.Input(), out)
		}
		for _, fails = range []error{nil, errors.New("once")} {
			times, loses = 0, 7
			if fails != nil {
				loses = 0 // the second attempt of the task finds its part lost
			}
			got, err := Collect(t.Context(), c, bind)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, 2, times)
		}

		times = 0
		plan, err := bind(new(mapreduce.Collected[pair]).Output())
		require.NoError(t, err)
		_, err = c.submit(t, plan, SubmitOptions{}).Wait(t.Context())
		require.ErrorIs(t, err, cluster.ErrPartLost)
		require.ErrorIs(t, err, ErrJobFailed)
	})
}

// A dataset's memory is freed when its owner has released it and no job reads it any longer.
func TestDatasetRelease(t *testing.T) {
	c, err := Start(Config{Nodes: 2, Memory: 1 << 30, IdleMemory: -1})
	require.NoError(t, err)
	closed := false
	defer func() {
		if !closed {
			require.NoError(t, c.Close())
		}
	}()
	d := keptCounts(t, c, prose(6, 60), 2)
	reading, goOn := make(chan struct{}), make(chan struct{})
	var out mapreduce.Collected[pair]
	var once sync.Once
	plan, err := mapreduce.MapOnly[pair, pair]{Map: func(p pair, emit func(pair)) error {
		once.Do(func() { close(reading) })
		<-goOn
		emit(p)
		return nil
	}}.Bind(d.Input(), out.Output())
	require.NoError(t, err)
	job := c.submit(t, plan, SubmitOptions{})
	<-reading
	late, err := mapreduce.MapOnly[pair, pair]{Map: func(pair, func(pair)) error { return nil }}.Bind(d.Input(), new(mapreduce.Collected[pair]).Output())
	require.NoError(t, err)
	d.Release()
	d.Release()
	_, err = c.Submit(t.Context(), late, SubmitOptions{})
	require.ErrorIs(t, err, cluster.ErrReleased)
	require.ErrorContains(t, err, "dataset 1")
	_, err = d.Collect(t.Context())
	require.ErrorIs(t, err, cluster.ErrReleased)
	close(goOn)
	job.wait(t)
	list, err := out.Records()
	require.NoError(t, err)
	require.Len(t, list, int(d.Size().Records))
	c.requireNothingHeld(t)

	broken := errors.New("broken")
	_, err = Keep(t.Context(), c, func(out mapreduce.Output[int]) (*mapreduce.Plan, error) {
		return mapreduce.MapOnly[int, int]{Map: func(n int, emit func(int)) error {
			emit(n)
			return mapreduce.Permanent(broken)
		}}.Bind(mapreduce.Slice([]int{1}), out)
	})
	require.ErrorIs(t, err, broken)
	require.Empty(t, c.env.datasets.live)
	c.requireNothingHeld(t)

	kept := keptCounts(t, c, prose(6, 60), 2)
	require.NoError(t, c.Close())
	closed = true
	c.requireNothingHeld(t)
	_, err = kept.Collect(t.Context())
	require.ErrorIs(t, err, cluster.ErrReleased)
	_, err = KeepBy(t.Context(), c, wordOf, bindCounts("", 1))
	require.ErrorIs(t, err, ErrClosed)
}

// KeepBy fails if a record is in the wrong part or out of order. A join of datasets that are not
// co-partitioned shuffles them; Grouped fails.
func TestKeyedMisuse(t *testing.T) {
	c, other := start(t, Config{Nodes: 2}), start(t, Config{})
	text := prose(7, 60)
	a, b := keptCounts(t, c, text, 3), keptCounts(t, c, text, 2)
	_, err := wordsOfBoth(c, a, b)
	require.ErrorContains(t, err, "the left feed has 3 parts and the right one 2")
	_, err = Fold[pair, int](t.Context(), c, a.Input(), func(pair) int { return 1 }, nil)
	require.ErrorContains(t, err, "Fold without a function")
	_, err = wordsOfBoth(other, a, a)
	require.ErrorContains(t, err, "reads dataset 1, which is of another cluster")
	length := func(p pair) int { return len(p.First) }
	_, err = KeepBy(t.Context(), c, length, bindCounts(text, 3))
	require.ErrorContains(t, err, "is written to part")
	_, err = KeepBy(t.Context(), c, func(p pair) int64 { return -p.Second }, bindCounts(text, 1))
	require.ErrorContains(t, err, "comes after one with a larger key")
	_, err = KeepBy[string](t.Context(), c, nil, bindCounts(text, 1))
	require.ErrorContains(t, err, "there is no key function")
	size := mapreduce.Apply(func(g mapreduce.Group[string, pair, pair]) int { return len(g.Left) })
	_, err = Collect(t.Context(), c, size.Over(mapreduce.Grouped(a.Feed(), mapreduce.Keyed(b.Input(), wordOf))))
	require.ErrorContains(t, err, "right feed: its records are not kept by key")
	both, err := Collect(t.Context(), c, func(out mapreduce.Output[int64]) (*mapreduce.Plan, error) {
		return mapreduce.Join(a.Feed(), b.Feed(), func(_ string, a, b pair, emit func(int64)) error {
			emit(a.Second - b.Second)
			return nil
		}).Bind(out)
	})
	require.NoError(t, err)
	require.Equal(t, make([]int64, a.Size().Records), both)
}
