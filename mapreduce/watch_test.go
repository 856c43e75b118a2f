package mapreduce

import (
	"context"
	"errors"
	"io"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

func TestPauseAndProgress(t *testing.T) {
	stop := errors.New("stop")
	pauses := 0
	var progress cluster.Progress
	p := must(keepLines().Bind(Lines(textOf("a\nb\n")), new(Collected[[]byte]).Output()))(t)
	require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
	a := &cluster.MapAttempt{Split: cluster.Split{Length: 4}, Resources: cluster.Resources{Progress: &progress, Pause: func(context.Context) error {
		pauses++
		return nil
	}}}
	must(p.RunMap(context.Background(), a))(t)
	require.Positive(t, pauses)
	require.Equal(t, int64(4), progress.Bytes.Load())
	require.Equal(t, int64(2), progress.Records.Load())
	a.Pause = func(context.Context) error { return stop }
	require.ErrorIs(t, errorOf(p.RunMap(context.Background(), a)), stop)
}

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
		p := must(job.Bind(Slice(numbers), Text[int](Writer("-", io.Discard))))(t)
		ctx := context.Background()
		require.NoError(t, p.Prepare(ctx, cluster.PrepareOptions{}))
		res := cluster.Resources{Pause: func(context.Context) error {
			if seen >= 100 {
				return stop
			}
			return nil
		}}
		out, err := p.RunMap(ctx, &cluster.MapAttempt{Split: cluster.Split{Length: 2000}, Resources: res})
		if at != "record" {
			require.NoError(t, err)
			err = p.RunReduce(ctx, &cluster.ReduceAttempt{Resources: res, Next: sent(0, out)})
			out.Release()
		}
		require.ErrorIs(t, err, stop)
		require.Less(t, seen, 100+2*cluster.PauseEvery, at)
	}
}

// Pulse changes with each emit and each call of a Task method, even if nothing is read, and not
// without them.
func TestUserCodeShowsLife(t *testing.T) {
	var progress cluster.Progress
	shows := func(what string, do func()) {
		was := progress.Pulse()
		require.Equal(t, was, progress.Pulse(), what)
		do()
		require.NotEqual(t, was, progress.Pulse(), what)
	}
	task := func(at string, task *Task) {
		counter := task.Counter("mine", "n")
		shows(at+": counter", func() { counter.Add(0) })
		shows(at+": progress", task.Progress)
	}
	for _, sum := range []bool{false, true} {
		job := Job[[]byte, string, int64, string]{
			Sum: sum,
			MapTask: func(u *Task) (Mapper[[]byte, string, int64], error) {
				task("map", u)
				return Mapper[[]byte, string, int64]{Map: func(_ []byte, emit func(string, int64)) error {
					shows("map: emit", func() { emit("key", 1) })
					return nil
				}}, nil
			},
			ReduceTask: func(u *Task) (Reducer[string, int64, string], error) {
				task("reduce", u)
				return Reducer[string, int64, string]{Reduce: func(_ string, _ iter.Seq[int64], emit func(string)) error {
					shows("reduce: emit", func() { emit("out") })
					return nil
				}}, nil
			},
		}
		p, err := job.Bind(Lines(Bytes("in", []byte("line\n"))), Text[string](output.To(new(output.MemoryStore))))
		require.NoError(t, err)
		runEngine(t, p, 1, nil, cluster.Resources{Budget: cluster.NewMemory(1 << 30).Sub(), Progress: &progress})
	}
	filter := MapOnly[[]byte, []byte]{MapTask: func(u *Task) (Filter[[]byte, []byte], error) {
		task("filter", u)
		return Filter[[]byte, []byte]{Map: func(_ []byte, emit func([]byte)) error {
			shows("filter: emit", func() { emit([]byte("out")) })
			return nil
		}}, nil
	}}
	p, err := filter.Bind(Lines(Bytes("in", []byte("line\n"))), Text[[]byte](output.To(new(output.MemoryStore))))
	require.NoError(t, err)
	runEngine(t, p, 1, nil, cluster.Resources{Budget: cluster.NewMemory(1 << 30).Sub(), Progress: &progress})
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
