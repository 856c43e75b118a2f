package mapreduce_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// An error of Pause ends an attempt soon, since Pause is called between records, groups and values.
func TestPauseEndsAttemptsSoon(t *testing.T) {
	stop := errors.New("stop")
	for _, at := range []string{"record", "group", "value"} {
		seen := 0
		hit := func(place string) {
			if place == at {
				seen++
			}
		}
		job := Job[int, int, int, int]{
			Map: func(n int, emit func(int, int)) error {
				hit("record")
				if at == "value" {
					n = 0
				}
				emit(n, n)
				return nil
			},
			Reduce: func(_ int, values iter.Seq[int], _ func(int)) error {
				hit("group")
				for range values {
					hit("value")
				}
				return nil
			},
		}
		numbers := make([]int, 2000)
		for i := range numbers {
			numbers[i] = i
		}
		e := &engineRun{Resources: cluster.Resources{Pause: func(context.Context) error {
			if seen >= 100 {
				return stop
			}
			return nil
		}}}
		require.ErrorIs(t, e.run(t.Context(), must(job.Bind(Slice(numbers), unread[int]()))(t)), stop)
		require.Less(t, seen, 100+2*cluster.PauseEvery, at)
	}
}

// Pulse changes with each emit of a map-only job, even if nothing is read, and not without them.
func TestUserCodeShowsLife(t *testing.T) {
	var progress cluster.Progress
	p := must(MapOnly[[]byte, []byte]{Map: func(_ []byte, emit func([]byte)) error {
		was := progress.Pulse()
		require.Equal(t, was, progress.Pulse())
		emit([]byte("out"))
		require.NotEqual(t, was, progress.Pulse())
		return nil
	}}.Bind(Lines(textOf("line\nline\n")), Text[[]byte](output.To(new(output.BufferedStore)))))(t)
	engine(t, p, 1, nil, cluster.Resources{Budget: cluster.NewMemory(1 << 30).Sub(), Progress: &progress})
}

// After ErrOutputExists, an output's name is free once that output is removed. It is also free
// after a job has ended; while the job runs, it is busy.
func TestNamesOfOutputsInAFileSystemAreFreed(t *testing.T) {
	store := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}}}))(t)
	require.NoError(t, store.WriteFile("out/file", nil))
	for range 2 {
		err := output.NewCommitter(InDFS(store, "out")).SetupJob()
		require.ErrorIs(t, err, ErrOutputExists)
		require.NotErrorIs(t, err, output.ErrOutputBusy)
	}
	require.NoError(t, store.Remove("out"))
	first := output.NewCommitter(InDFS(store, "out"))
	require.NoError(t, first.SetupJob())
	require.ErrorIs(t, output.NewCommitter(InDFS(store, "out/")).SetupJob(), output.ErrOutputBusy)
	require.NoError(t, first.AbortJob())
	second := output.NewCommitter(InDFS(store, "out"))
	require.NoError(t, second.SetupJob())
	require.NoError(t, second.CommitJob())
	require.NotErrorIs(t, output.NewCommitter(InDFS(store, "out")).SetupJob(), output.ErrOutputBusy)
	require.NoError(t, store.Remove("out"))
	require.NoError(t, output.NewCommitter(InDFS(store, "out")).SetupJob())
}

// Each record of a Slice counts as one byte read, and a canceled map ends within 256 records.
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
			if stop == 0 {
				cancel(over)
			}
			var progress cluster.Progress
			err := (&engineRun{Resources: cluster.Resources{Progress: &progress}}).run(ctx, p)
			if stop < 0 || stop > n {
				require.NoError(t, err)
				require.Equal(t, n, mapped)
				require.EqualValues(t, n, progress.Bytes.Load())
			} else {
				require.ErrorIs(t, err, over)
				require.LessOrEqual(t, mapped, (stop+255)/256*256)
			}
			cancel(nil)
		}
	}
}

// If a job is canceled while a Reduce ranges over its values, what Reduce then emits is dropped.
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
