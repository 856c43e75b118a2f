package mapreduce_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// countedJobs are jobs over lines that take each way from records to output.
func countedJobs(lines Input[[]byte]) map[string]func() (*Plan, error) {
	return map[string]func() (*Plan, error){
		"reduce": func() (*Plan, error) {
			return wordCount(false).Bind(lines, unread[Pair[string, int64]]())
		},
		"pass on": func() (*Plan, error) {
			j := wordCount(false)
			j.Reduce = nil
			return j.Bind(lines, Text[Pair[string, int64]](output.To(new(output.BufferedStore))))
		},
		"pass on, not as bytes": func() (*Plan, error) {
			j := wordCount(false)
			j.Reduce, j.Descending = nil, true
			return j.Bind(lines, Text[Pair[string, int64]](output.To(new(output.BufferedStore))))
		},
		"map only": func() (*Plan, error) {
			return keepLines().Bind(lines, Text[[]byte](output.To(new(output.BufferedStore))))
		},
	}
}

// An engine run counts what RunLocal counts, and both count what the jobs are known to do.
func TestCountersAreWhatHappened(t *testing.T) {
	for name, bind := range countedJobs(Lines(Bytes("one", []byte("b a\na\n")), Bytes("two", []byte("c\n")))) {
		p := must(bind())(t)
		local := must(RunLocal(t.Context(), p, LocalOptions{Reduces: 2}))(t)
		p = must(bind())(t)
		c := engine(t, p, 2, nil, cluster.Resources{})
		for v := range local.All() {
			require.Equal(t, v.Value, c.Named(v.Group, v.Name), "%s: %s", name, v.Name)
		}
		require.EqualValues(t, 3, c.Get(counter.MapInputRecords), name)
		require.EqualValues(t, 8, c.Get(counter.InputBytesRead), name)
		require.Zero(t, c.Get(counter.SpilledRecords)+c.Get(counter.FileBytesRead)+c.Get(counter.FileBytesWritten), name)
		if p.Job().MapOnly {
			require.EqualValues(t, 3, c.Get(counter.MapOutputRecords))
			require.EqualValues(t, 8, c.Get(counter.OutputBytesWritten))
			require.EqualValues(t, 8, c.Get(counter.MapOutputBytes))
			continue
		}
		require.EqualValues(t, 4, c.Get(counter.MapOutputRecords), name)
		require.EqualValues(t, 4, c.Get(counter.ReduceInputRecords), name)
		require.EqualValues(t, 4, c.Get(counter.ShuffledMaps), name)
		require.Positive(t, c.Get(counter.MapOutputMaterializedBytes), name)
		require.Equal(t, c.Get(counter.MapOutputMaterializedBytes), c.Get(counter.ReduceShuffleBytes), name)
		if name == "reduce" {
			require.EqualValues(t, 3, c.Get(counter.ReduceInputGroups), name)
			require.EqualValues(t, 3, c.Get(counter.ReduceOutputRecords), name)
		} else {
			require.EqualValues(t, 4, c.Get(counter.ReduceOutputRecords), name)
			require.EqualValues(t, len("a\t1\na\t1\nb\t1\nc\t1\n"), c.Get(counter.OutputBytesWritten), name)
		}
	}
}

// Sums of integer keys that nothing reduces are counted when they are written, in batches.
func TestSumsOfIntegersAreCounted(t *testing.T) {
	job := Job[[]byte, int64, int64, Pair[int64, int64]]{Sum: true, Map: func(line []byte, emit func(int64, int64)) error {
		emit(int64(len(line)), 1)
		emit(int64(len(line)), 1)
		return nil
	}}
	text := Lines(Bytes("one", []byte("aa\na\naa\n")), Bytes("two", []byte("aaa\n\n")))
	bind := func() *Plan {
		return must(job.Bind(text, Text[Pair[int64, int64]](output.To(new(output.BufferedStore)))))(t)
	}
	local := must(RunLocal(t.Context(), bind(), LocalOptions{Reduces: 2}))(t)
	c := engine(t, bind(), 2, nil, cluster.Resources{})
	for _, id := range []counter.ID{counter.MapOutputRecords, counter.ReduceInputRecords, counter.ReduceOutputRecords, counter.OutputBytesWritten} {
		require.Equal(t, local.Get(id), c.Get(id), id)
	}
	require.EqualValues(t, 4, c.Get(counter.ReduceInputRecords))
	require.EqualValues(t, 4, c.Get(counter.ReduceOutputRecords))
}

// manyWords returns 20,000 lines of words, most of them different.
func manyWords() (text []byte) {
	for i := range 20_000 {
		text = fmt.Appendf(text, "word%d and %d\n", i, i*7)
	}
	return text
}

// A run counts the bytes that it spills and reads back, and the attempt's Progress shows them.
func TestSpillsAreCounted(t *testing.T) {
	text := manyWords()
	for _, combine := range []bool{false, true} {
		p := must(wordCount(combine).Bind(Lines(Bytes("text", text)), unread[Pair[string, int64]]()))(t)
		ctx := t.Context()
		require.NoError(t, p.SetupJob())
		require.NoError(t, p.Prepare(ctx, cluster.PrepareOptions{Reduces: 1}))
		var c, reduced counter.Set
		var mapping, reducing cluster.Progress
		res := cluster.Resources{Budget: cluster.NewMemory(1).Sub(), SpillDir: t.TempDir(), Progress: &mapping, Counters: &c}
		out := must(p.RunMap(ctx, &cluster.MapAttempt{Split: cluster.Split{Length: int64(len(text))}, Resources: res}))(t)
		require.GreaterOrEqual(t, c.Get(counter.SpilledRecords), int64(20_000))
		require.Positive(t, c.Get(counter.FileBytesWritten))
		require.Equal(t, c.Get(counter.FileBytesWritten), c.Get(counter.FileBytesRead))
		require.Equal(t, c.Get(counter.FileBytesWritten), mapping.Spilled.Load())
		require.EqualValues(t, len(text), mapping.Bytes.Load())
		require.EqualValues(t, 20_000, mapping.Records.Load())
		require.Equal(t, out.Sizes(), []int64{out.Segment(0).Bytes})
		res.Progress, res.Counters = &reducing, &reduced
		require.NoError(t, p.RunReduce(ctx, &cluster.ReduceAttempt{Next: sent(0, out), Resources: res}))
		require.Equal(t, out.Segment(0).Bytes, reducing.Bytes.Load())
		require.Equal(t, reduced.Get(counter.FileBytesWritten), reducing.Spilled.Load())
		require.Positive(t, reducing.Records.Load())
		require.LessOrEqual(t, reducing.Records.Load(), reduced.Get(counter.ReduceInputRecords))
		require.EqualValues(t, 1, reduced.Get(counter.ShuffledMaps))
		require.EqualValues(t, 1, reduced.Get(counter.MergedMapOutputs))
		out.Release()
	}
}

// Where returns the file that a map reads and, if known, the byte range of its current records.
func TestWhereAMapIs(t *testing.T) {
	var seen []string
	var progress cluster.Progress
	require.Empty(t, progress.Where())
	filter := MapOnly[[]byte, []byte]{MapTask: func(*Task) (Filter[[]byte, []byte], error) {
		return Filter[[]byte, []byte]{
			Map:   func([]byte, func([]byte)) error { seen = append(seen, progress.Where()); return nil },
			Close: func(func([]byte)) error { seen = append(seen, progress.Where()); return nil },
		}, nil
	}}
	p := must(filter.Bind(FixedSize(2, Bytes("one", []byte("abcdef")), Bytes("two", nil)), unread[[]byte]()))(t)
	require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
	a := &cluster.MapAttempt{Split: cluster.Split{Offset: 2, Length: 3}, Resources: cluster.Resources{Progress: &progress}}
	must(p.RunMap(t.Context(), a))(t)
	a.Split = cluster.Split{Source: 1}
	must(p.RunMap(t.Context(), a))(t)
	require.Equal(t, []string{"one, bytes 2 to 4", "one, bytes 4 to 6", "one, bytes 4 to 6", "two"}, seen)
}

// names returns the set of counter names that All returns.
func names(c *counter.Set) map[string]bool {
	list := map[string]bool{}
	for v := range c.All() {
		list[v.Name] = true
	}
	return list
}

// Print omits counters that nothing measures, rather than show 0: those of records if the input is
// chunks, and those of reduces in a map-only job.
func TestCountersThatAreNotMeasured(t *testing.T) {
	text := Bytes("text", []byte(strings.Repeat("a line\n", 1000)))
	filter := MapOnly[[]byte, []byte]{Map: func(chunk []byte, emit func([]byte)) error { emit(chunk); return nil }}
	plan := must(filter.Bind(Chunks(text), unread[[]byte]()))(t)
	c := must(RunLocal(t.Context(), plan, LocalOptions{}))(t)
	require.Equal(t, int64(1), c.Get(counter.MapInputChunks))
	require.Equal(t, map[string]bool{
		"Map input chunks": true, "Map output records": true, "Map output bytes": true, "Bytes Read": true, "Bytes Written": true,
	}, names(c))

	plan = must(filter.Bind(Lines(text), unread[[]byte]()))(t)
	c = must(RunLocal(t.Context(), plan, LocalOptions{}))(t)
	require.Equal(t, int64(1000), c.Get(counter.MapInputRecords))
	require.False(t, names(c)["Map input chunks"])
}

// As in Hadoop, the map output, minus what Combine removes in maps and reduces, is the reduce
// input.
func TestCombineCountersAddUp(t *testing.T) {
	plan := must(wordCount(true).Bind(Lines(Bytes("one", []byte("a b a\n")), Bytes("two", []byte("b b c\n"))),
		unread[Pair[string, int64]]()))(t)
	c := engine(t, plan, 2, nil, cluster.Resources{})
	require.Equal(t, int64(6), c.Get(counter.MapOutputRecords))
	require.Equal(t, int64(6*(1+8)), c.Get(counter.MapOutputBytes), "of keys and values, before Combine")
	require.Equal(t, int64(6+4), c.Get(counter.CombineInputRecords))
	require.Equal(t, int64(4+3), c.Get(counter.CombineOutputRecords))
	require.Equal(t, int64(3), c.Get(counter.ReduceInputRecords))
	require.Equal(t, int64(3), c.Get(counter.ReduceInputGroups))
}

// A failed attempt adds nothing to the counters, even if its map counted or emitted before.
func TestFailedAttemptsCountNothing(t *testing.T) {
	bad := errors.New("bad")
	count := func(task *Task) { task.Counter("Mine", "began").Add(1) }
	job := func(sum bool, mapFails, reduceFails error) func(Output[string]) (*Plan, error) {
		return Job[[]byte, string, int64, string]{
			Sum: sum,
			MapTask: func(task *Task) (Mapper[[]byte, string, int64], error) {
				count(task)
				return Mapper[[]byte, string, int64]{
					Map:   func(line []byte, emit func(string, int64)) error { emit(string(line), 1); return nil },
					Close: func(func(string, int64)) error { return mapFails },
				}, nil
			},
			ReduceTask: func(task *Task) (Reducer[string, int64, string], error) {
				count(task)
				return Reducer[string, int64, string]{
					Reduce: ignore[string, int64, string],
					Close:  func(func(string)) error { return reduceFails },
				}, nil
			},
		}.Over(Lines(textOf("a\nb\nc\n")))
	}
	filter := MapOnly[[]byte, string]{MapTask: func(task *Task) (Filter[[]byte, string], error) {
		count(task)
		return Filter[[]byte, string]{
			Map:   func([]byte, func(string)) error { return nil },
			Close: func(func(string)) error { return bad },
		}, nil
	}}.Over(Lines(textOf("a\n")))
	for _, c := range []struct {
		bind  func(Output[string]) (*Plan, error)
		began int64 // attempts that succeeded
	}{{job(false, bad, nil), 0}, {job(true, bad, nil), 0}, {filter, 0}, {job(false, nil, bad), 1}, {job(true, nil, bad), 1}} {
		e := &engineRun{Resources: cluster.Resources{Counters: new(counter.Set)}}
		require.ErrorIs(t, e.run(t.Context(), must(c.bind(unread[string]()))(t)), bad)
		require.Equal(t, c.began, e.Counters.Named("Mine", "began"))
		for v := range e.Counters.All() {
			require.True(t, v.Value == 0 || c.began > 0, "%s %s", v.Group, v.Name)
		}
		for _, id := range []counter.ID{
			counter.ReduceInputGroups, counter.ReduceShuffleBytes, counter.ReduceInputRecords, counter.ReduceOutputRecords,
			counter.ShuffledMaps, counter.MergedMapOutputs, counter.OutputBytesWritten,
		} {
			require.Zero(t, e.Counters.Get(id), id)
		}
	}
}

// Attempts return all memory to the budget and the pool, whether they spill or not. After a job
// none is in use, and the pool knows of each mapping.
func TestAllMemoryGoesBack(t *testing.T) {
	in := Lines(Bytes("text", manyWords()))
	jobs := countedJobs(in)
	jobs["combine"] = func() (*Plan, error) {
		return wordCount(true).Bind(in, Text[Pair[string, int64]](output.To(new(output.BufferedStore))))
	}
	for name, bind := range jobs {
		for _, limit := range []int64{1, 1 << 30} {
			before := memory.Mapped()
			budget := cluster.NewMemory(limit)
			pool := cluster.NewBuffers(budget, 4<<20)
			p := must(bind())(t)
			engine(t, p, 2, p.Job().BlocksOf(200_000), cluster.Resources{Budget: budget.Sub(), Pool: pool, SpillDir: t.TempDir()})
			require.Equal(t, pool.Idle(), budget.Used(), "%s within %d bytes", name, limit)
			pool.Close()
			require.Zero(t, budget.Used(), "%s within %d bytes", name, limit)
			require.Equal(t, before, memory.Mapped(), "%s within %d bytes", name, limit)
		}
	}
}
