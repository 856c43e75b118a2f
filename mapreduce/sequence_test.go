package mapreduce_test

import (
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// feed returns a sequence that reads a channel of n ones, which only one pass can read.
func feed(n int) iter.Seq[int] {
	c := make(chan int, n)
	for range n {
		c <- 1
	}
	close(c)
	return func(yield func(int) bool) {
		for x := range c {
			if !yield(x) {
				return
			}
		}
	}
}

var errFlaky = errors.New("flaky")

// attemptsOver runs a job over an input with up to four attempts a task. The first attempt of a map
// fails at record failAt. records is how many the successful maps have read.
func attemptsOver(t *testing.T, in Input[int], failAt int, total bool) (records int64, err error) {
	calls := 0
	p := must(Job[int, int, int, Pair[int, int]]{
		Map: func(x int, emit func(int, int)) error {
			if calls++; calls == failAt {
				return errFlaky
			}
			emit(x, x)
			return nil
		},
		TotalOrder: total, Reducers: 2,
	}.Bind(in, unread[Pair[int, int]]()))(t)
	e := &engineRun{tries: 4, Resources: cluster.Resources{Counters: new(counter.Set)}}
	err = e.run(t.Context(), p)
	return e.Counters.Get(counter.MapInputRecords), err
}

// Wherever an earlier attempt stopped, the next one reads a sequence from its start, or fails with
// ErrConsumed.
func TestSequencesAreNeverCutShort(t *testing.T) {
	ones := slices.Repeat([]int{1}, 1000)
	for _, failAt := range []int{1, 2, 499, 500, 501, 999, 1000} {
		n := must(attemptsOver(t, Seq(slices.Values(ones)), failAt, false))(t)
		require.EqualValues(t, 1000, n)
		_, err := attemptsOver(t, Seq(feed(1000)), failAt, false)
		require.ErrorIs(t, err, fault.ErrConsumed, "%d", failAt)
		require.ErrorIs(t, err, errFlaky, "what the first attempt died of")
	}
	n := must(attemptsOver(t, Seq(feed(1000)), 0, false))(t)
	require.EqualValues(t, 1000, n)
	n = must(attemptsOver(t, Seq(slices.Values(ones)), 0, true))(t)
	require.EqualValues(t, 1000, n)
	_, err := attemptsOver(t, Seq(feed(1000)), 0, true)
	require.ErrorIs(t, err, fault.ErrConsumed)
	require.ErrorContains(t, err, "total order")

	n = must(attemptsOver(t, Seq(slices.Values([]int(nil))), 0, true))(t)
	require.Zero(t, n)
	in := Seq(feed(10)) // for two jobs
	must(attemptsOver(t, in, 0, false))(t)
	require.ErrorIs(t, errorOf(attemptsOver(t, in, 0, false)), fault.ErrConsumed)
}

func TestASequencesErrorEndsTheAttempt(t *testing.T) {
	broken := errors.New("the line broke")
	_, err := attemptsOver(t, Seq2(func(yield func(int, error) bool) {
		_ = yield(1, nil) && yield(2, nil) && yield(0, broken)
	}), 0, false)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "sequence: after 2 records")
	tries := 0
	n := must(attemptsOver(t, Seq2(func(yield func(int, error) bool) {
		if tries++; tries == 1 {
			yield(0, broken)
			return
		}
		_ = yield(1, nil) && yield(2, nil)
	}), 0, false))(t)
	require.EqualValues(t, 2, n)
}

// For its sample, a total order calls Map at most once more for each record.
func TestTheSampleCallsMapOnceMoreAtMost(t *testing.T) {
	for _, size := range []int{1, 10, 63, 64, 65, 100, 127, 128, 1000, 20_000} {
		seen := make([]int, size)
		records := make([]int, size)
		for i := range records {
			records[i] = i
		}
		j := Job[int, int, None, Pair[int, None]]{
			Map: func(x int, emit func(int, None)) error {
				seen[x]++
				emit(x, None{})
				return nil
			},
			TotalOrder: true, Reducers: 4,
		}
		p := must(j.Bind(Slice(records), unread[Pair[int, None]]()))(t)
		require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
		calls := 0
		for x, n := range seen {
			require.LessOrEqual(t, n, 1, "record %d of %d", x, size)
			calls += n
		}
		require.Positive(t, calls)
		if size >= 1000 {
			require.LessOrEqual(t, calls, size/2+64)
		}
	}
}

func TestAPlanRunsOnce(t *testing.T) {
	p := must(wordCount(true).Bind(Lines(textOf("a b")), unread[Pair[string, int64]]()))(t)
	must(RunLocal(t.Context(), p, LocalOptions{}))(t)
	require.ErrorIs(t, errorOf(RunLocal(t.Context(), p, LocalOptions{})), cluster.ErrPlanUsed)
	require.ErrorIs(t, errorOf(RunLocal(t.Context(), nil, LocalOptions{})), cluster.ErrNoPlan)
}
