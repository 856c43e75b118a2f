package mapreduce_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

func nothing[K, V any]([]byte, func(K, V)) error { return nil }

func ignore[K, V, O any](K, iter.Seq[V], func(O)) error { return nil }

func TestBindNamesTheCallersLine(t *testing.T) {
	in := Lines(Bytes("text", nil))
	_, err := Job[[]byte, map[int]int, chan int, string]{
		Name: "odd", Map: nothing[map[int]int, chan int], Reduce: ignore[map[int]int, chan int, string],
	}.Bind(in, Text[string](Writer("-", io.Discard)))
	require.ErrorIs(t, err, codec.ErrUnsupportedType)
	require.ErrorContains(t, err, `bind_test.go:29: job "odd": key type map[int]int: unsupported type map[int]int`)
	require.ErrorContains(t, err, "value type chan int: unsupported type chan int")
}

func TestBindRefusesContradictions(t *testing.T) {
	in, out := Lines(Bytes("text", nil)), Text[string](Writer("-", io.Discard))
	good := Job[[]byte, string, int64, string]{Map: nothing[string, int64], Reduce: ignore[string, int64, string]}
	p := must(good.Bind(in, out))(t)
	require.Equal(t, "job", p.Job().Name, "what has no name")
	named := good
	named.Name = "count"
	p = must(named.Bind(in, out))(t)
	require.Equal(t, "count", p.Job().Name)
	for want, change := range map[string]func(j *Job[[]byte, string, int64, string]){
		"none of Map, MapTask": func(j *Job[[]byte, string, int64, string]) { j.Map = nil },
		"both Partition and TotalOrder": func(j *Job[[]byte, string, int64, string]) {
			j.Partition, j.TotalOrder = func(string, int) int { return 0 }, true
		},
		"-1 reducers": func(j *Job[[]byte, string, int64, string]) { j.Reducers = -1 },
		"GroupFields is 1, but key type string has 0":  func(j *Job[[]byte, string, int64, string]) { j.GroupFields = 1 },
		"without Reduce the output type must be mapre": func(j *Job[[]byte, string, int64, string]) { j.Reduce = nil },
		"both Map and MapTask": func(j *Job[[]byte, string, int64, string]) {
			j.MapTask = func(*Task) (Mapper[[]byte, string, int64], error) { return Mapper[[]byte, string, int64]{}, nil }
		},
		"both Reduce and ReduceTask": func(j *Job[[]byte, string, int64, string]) {
			j.ReduceTask = func(*Task) (Reducer[string, int64, string], error) { return Reducer[string, int64, string]{}, nil }
		},
	} {
		j := good
		change(&j)
		_, err := j.Bind(in, out)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "bind_test.go:")
	}
	require.ErrorContains(t, errorOf(good.Bind(Input[[]byte]{}, out)), "the input is empty")
	require.ErrorContains(t, errorOf(good.Bind(in, Output[string]{})), "the output is empty")
	require.ErrorContains(t, errorOf(keepLines().Bind(in, Output[[]byte]{})), "bind_test.go:")
	_, err := MapOnly[[]byte, func()]{Map: func([]byte, func(func())) error { return nil }}.Bind(in,
		Text[func()](Writer("-", io.Discard)))
	require.ErrorIs(t, err, codec.ErrUnsupportedType)
}

func TestFaultsOfUsersCodeAreErrors(t *testing.T) {
	good := Job[[]byte, string, int64, string]{
		Map:    func(_ []byte, emit func(string, int64)) error { emit("k", 1); return nil },
		Reduce: ignore[string, int64, string],
	}
	run := func(change func(j *Job[[]byte, string, int64, string])) error {
		j := good
		change(&j)
		return (&engineRun{reduces: 2}).run(t.Context(), must(j.Bind(Lines(textOf("line\n")), unread[string]()))(t))
	}
	var p *fault.PanicError
	require.ErrorAs(t, run(func(j *Job[[]byte, string, int64, string]) {
		j.Map = func([]byte, func(string, int64)) error { panic("map") }
	}), &p)
	require.Equal(t, "map", p.Value)
	require.Contains(t, p.Stack, "TestFaultsOfUsersCodeAreErrors")
	require.ErrorContains(t, run(func(j *Job[[]byte, string, int64, string]) {
		j.Map, j.MapTask = nil, func(*Task) (m Mapper[[]byte, string, int64], err error) { return m, err }
	}), "without Map")
	require.ErrorContains(t, run(func(j *Job[[]byte, string, int64, string]) {
		j.Reduce, j.ReduceTask = nil, func(*Task) (r Reducer[string, int64, string], err error) { return r, err }
	}), "ReduceTask must return a Reducer with either Reduce or Pairs")
	require.ErrorContains(t, run(func(j *Job[[]byte, string, int64, string]) {
		j.Partition = func(string, int) int { return 2 }
	}), "Partition returned 2 of 2 reduces")
}

// MapTask and ReduceTask get a Task with counters, names, and a logger that names the attempt.
func TestTaskKnowsItsAttempt(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	for _, local := range []bool{true, false} {
		var log bytes.Buffer
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		var names []string
		job := Job[[]byte, string, int64, string]{
			MapTask: func(task *Task) (Mapper[[]byte, string, int64], error) {
				require.NoError(t, task.Context().Err())
				names = append(names, task.ID().String(), task.InputName())
				lines := task.Counter("Mine", "lines")
				return Mapper[[]byte, string, int64]{
					Map: func(line []byte, _ func(string, int64)) error {
						task.Logger().Info("mapped", "line", string(line))
						lines.Add(1)
						return nil
					},
					Close: func(emit func(string, int64)) error { emit("lines", lines.Value()); return nil },
				}, nil
			},
			ReduceTask: func(task *Task) (Reducer[string, int64, string], error) {
				require.Equal(t, 2, task.Reduces())
				names = append(names, fmt.Sprint(task.ID(), " ", task.Offset()))
				groups := 0
				return Reducer[string, int64, string]{
					Reduce: func(string, iter.Seq[int64], func(string)) error { // leaves its values unread
						task.Logger().Info("reduced")
						task.Counter("Mine", "groups").Add(1)
						groups++
						return nil
					},
					Close: func(emit func(string)) error { emit(fmt.Sprint(groups)); return nil },
				}, nil
			},
			Partition: func(string, int) int { return 1 },
		}
		var out Collected[string]
		p := must(job.Bind(Lines(textOf("a\nb\nc\n")), out.Output()))(t)
		var c *counter.Set
		if local {
			c = must(RunLocal(t.Context(), p, LocalOptions{Reduces: 2}))(t)
		} else {
			c = engine(t, p, 2, nil, cluster.Resources{Log: slog.Default()})
		}
		require.Equal(t, []string{"0", "1"}, must(out.Records())(t))
		require.Equal(t, []string{"m-00000-0", "text", "r-00000-0 0", "r-00001-0 0"}, names)
		require.Contains(t, log.String(), "msg=mapped attempt=m-00000-0 input=text line=b\n")
		require.Contains(t, log.String(), "msg=reduced attempt=r-00001-0\n")
		require.Equal(t, []int64{3, 1}, []int64{c.Named("Mine", "lines"), c.Named("Mine", "groups")})
		for id, want := range map[counter.ID]int64{
			counter.MapInputRecords: 3, counter.MapOutputRecords: 1,
			counter.ReduceInputGroups: 1, counter.ReduceInputRecords: 1, counter.ReduceOutputRecords: 2,
		} {
			require.Equal(t, want, c.Get(id), id)
		}
	}
}

func TestAttemptBeforePrepareIsAnError(t *testing.T) {
	p := must(wordCount(true).Bind(Lines(textOf("a")),
		Text[Pair[string, int64]](Writer("-", io.Discard))))(t)
	_, err := p.RunMap(t.Context(), &cluster.MapAttempt{Split: cluster.Split{Length: 1}})
	require.ErrorIs(t, err, output.ErrUnprepared)
}

// Folds is true if a job's maps combine the values of a key into one value of fixed size.
func TestPlansFold(t *testing.T) {
	in, first := Lines(Bytes("text", nil)), func(line []byte, emit func(string, int64)) error { return nil }
	bind := func(p *Plan, err error) bool { require.NoError(t, err); return p.Job().Folds }
	sums := Job[[]byte, string, int64, Pair[string, int64]]{Map: first, Combine: func(a, b int64) int64 { return a + b }}
	require.True(t, bind(sums.Bind(in, unread[Pair[string, int64]]())))
	most := Job[[]byte, string, int64, Pair[string, int64]]{Map: first, Combine: func(a, b int64) int64 { return max(a, b) }}
	require.True(t, bind(most.Bind(in, unread[Pair[string, int64]]())))
	plain := Job[[]byte, string, int64, Pair[string, int64]]{Map: first}
	require.False(t, bind(plain.Bind(in, unread[Pair[string, int64]]())))
	lists := Job[[]byte, string, []int, Pair[string, []int]]{
		Map:     func([]byte, func(string, []int)) error { return nil },
		Combine: func(a, b []int) []int { return append(a, b...) },
	}
	require.False(t, bind(lists.Bind(in, unread[Pair[string, []int]]())), "lists grow with the input")
	distinct := CountDistinct(func([]byte) int { return 0 }, func([]byte) int { return 0 })
	require.False(t, bind(distinct.Bind(in, unread[Pair[int, int64]]())))
}
