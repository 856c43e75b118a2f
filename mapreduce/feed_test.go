package mapreduce_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

type scored struct {
	From  string
	Score int64
}

// scoresJob writes, for each name, the values of all feeds in the order in which Reduce gets them.
func scoresJob() Job[TaggedRecord[string, scored], string, scored, string] {
	return Job[TaggedRecord[string, scored], string, scored, string]{Reduce: func(name string, values iter.Seq[scored], emit func(string)) error {
		line := name + "|"
		for v := range values {
			line += fmt.Sprintf(" %s:%d", v.From, v.Score)
		}
		emit(line)
		return nil
	}}
}

// scoreFeeds returns three feeds, over lines, a slice and a sequence.
func scoreFeeds(lines string, list []int64, seq iter.Seq[int64]) []Feed[string, scored] {
	name := func(n int64) string { return fmt.Sprint("n", n%7) }
	return []Feed[string, scored]{
		From(Lines(Bytes("a", []byte(lines)), Bytes("b", []byte(lines))), func(_ *Task, line []byte, emit func(string, scored)) error {
			emit(string(line), scored{"line", int64(len(line))})
			return nil
		}),
		From(Slice(list).SplitSize(3), func(_ *Task, n int64, emit func(string, scored)) error {
			emit(name(n), scored{"slice", n})
			emit("twice", scored{"slice", n})
			return nil
		}),
		From(Seq(seq), func(t *Task, n int64, emit func(string, scored)) error {
			emit(name(n), scored{"seq", n + 1000*t.Offset()})
			return nil
		}),
	}
}

// A reduce gets the pairs of several inputs in the order of the feeds, for all splits. RunLocal,
// the engine and plain Go agree.
func TestFeedsAreOneInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"n1", "n3", "", "twice", "x y"}), 0, 12).Draw(t, "lines"), "\n")
		list := rapid.SliceOfN(rapid.Int64Range(0, 50), 0, 12).Draw(t, "list")
		seq := func(yield func(int64) bool) {
			for _, n := range list {
				if !yield(n + 1) {
					return
				}
			}
		}
		want := map[string]string{}
		say := func(name, from string, n int64) { want[name] += fmt.Sprintf(" %s:%d", from, n) }
		for range 2 {
			for line := range strings.Lines(lines) {
				say(strings.TrimSuffix(line, "\n"), "line", int64(len(strings.TrimSuffix(line, "\n"))))
			}
		}
		for _, n := range list {
			say(fmt.Sprint("n", n%7), "slice", n)
			say("twice", "slice", n)
		}
		for i, n := range list {
			say(fmt.Sprint("n", (n+1)%7), "seq", n+1+1000*int64(i))
		}
		job := scoresJob()
		job.TotalOrder = rapid.Bool().Draw(t, "total order")
		got := map[string]string{}
		for _, line := range gather(t, job.Over(Feeds(scoreFeeds(lines, list, seq)...)), rapid.Bool().Draw(t, "local"),
			rapid.Int64Range(1, 20).Draw(t, "block"), rapid.IntRange(1, 3).Draw(t, "reduces")) {
			name, values, _ := strings.Cut(line, "|")
			require.NotContains(t, got, name)
			got[name] = values
		}
		require.Equal(t, want, got)
	})
}

// Bind reports errors of feeds, and a run a Map of the job's own.
func TestFeedsAreChecked(t *testing.T) {
	out := func() Output[string] { return unread[string]() }
	_, err := scoresJob().Bind(Feeds[string, scored](), out())
	require.ErrorIs(t, err, input.ErrNoSources)
	require.ErrorContains(t, err, "feed_test.go:")
	bad := From(NLines(2, Bytes("x", nil)).SplitSize(1), func(*Task, []byte, func(string, scored)) error { return nil })
	_, err = scoresJob().Bind(Feeds(append(scoreFeeds("", nil, slices.Values([]int64(nil))), bad)...), out())
	require.ErrorContains(t, err, "SplitSize has no effect on this input")
	job := scoresJob()
	job.Map = func(TaggedRecord[string, scored], func(string, scored)) error { return nil }
	plan := must(job.Bind(Feeds(scoreFeeds("", []int64{1}, slices.Values([]int64(nil)))...), out()))(t)
	_, err = RunLocal(t.Context(), plan, LocalOptions{})
	require.ErrorContains(t, err, "the records of Feeds are mapped by their feeds: leave Map and MapTask nil")
	require.True(t, fault.IsPermanent(err))
}

// A watched plan reports bytes that the map of a feed, or a join's function, keeps too long.
func TestDebugSeesFeedsAndJoins(t *testing.T) {
	lines := func(what string) Input[[]byte] { return Lines(Bytes(what, []byte("aa\nbb\ncc\n"))) }
	var kept []byte
	keeper := From(lines("kept"), func(_ *Task, line []byte, emit func(int, []byte)) error {
		if kept == nil {
			kept = line
		}
		emit(1, kept)
		return nil
	})
	whole := From(lines("whole"), func(_ *Task, line []byte, emit func(int, []byte)) error {
		emit(1, line)
		return nil
	})
	run := func(j Joined[[]byte]) error {
		p := must(j.Bind(unread[[]byte]()))(t)
		p.Debug(DebugOptions{})
		_, err := RunLocal(context.Background(), p, LocalOptions{})
		return err
	}
	good := func(_ int, a, b []byte, emit func([]byte)) error {
		emit(append(append([]byte(nil), a...), b...))
		return nil
	}
	require.NoError(t, run(Join(whole, whole, good)))
	require.ErrorIs(t, run(Join(keeper, whole, good)), watch.ErrKept)
	require.ErrorIs(t, run(CoGroup(whole, whole, func(_ int, _ [][]byte, bs iter.Seq[[]byte], emit func([]byte)) error {
		var first []byte
		for b := range bs {
			if first == nil {
				first = b
			}
		}
		emit(first)
		return nil
	})), watch.ErrKept)
}
