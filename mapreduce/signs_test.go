package mapreduce

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Calls of Task methods and emits count as progress even while nothing is read; nothing counts
// without a call.
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

// A rejected name is free again once the existing output is removed, and so is the name of an
// output that has ended; while a job uses it, it is busy.
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
