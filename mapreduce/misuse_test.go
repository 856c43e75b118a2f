package mapreduce_test

import (
	"bytes"
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// bothWays returns the errors of two plans from bind, run in RunLocal and on the engine.
func bothWays(t *testing.T, bind func() (*Plan, error)) (local, engine error) {
	t.Helper()
	p := must(bind())(t)
	_, local = RunLocal(t.Context(), p, LocalOptions{})
	p = must(bind())(t)
	return local, (&engineRun{blocks: p.Job().BlocksOf(2)}).run(t.Context(), p)
}

// valueJobs returns a job for each kind of function that gets the values of a key. The function
// passes them to use; its Close, if it has one, calls end.
func valueJobs(use func(counts iter.Seq[int64]), end func()) map[string]func(Output[Pair[string, int64]]) (*Plan, error) {
	type count = Pair[string, int64]
	text := Lines(textOf("a b a c a b\n"))
	reducing := func(combine bool, r Reducer[string, int64, count]) func(Output[count]) (*Plan, error) {
		j := wordCount(combine)
		r.Close = func(func(count)) error { end(); return nil }
		j.Reduce, j.ReduceTask = nil, func(*Task) (Reducer[string, int64, count], error) { return r, nil }
		return j.Over(text)
	}
	reduce := Reducer[string, int64, count]{Reduce: func(_ string, counts iter.Seq[int64], _ func(count)) error {
		use(counts)
		return nil
	}}
	pairs := Reducer[string, int64, count]{Pairs: func(pairs iter.Seq2[string, int64], _ func(count)) error {
		use(func(yield func(int64) bool) { pairs(func(_ string, n int64) bool { return yield(n) }) })
		return nil
	}}
	words := From(text, func(_ *Task, line []byte, emit func(string, int64)) error { return wordCount(false).Map(line, emit) })
	return map[string]func(Output[count]) (*Plan, error){
		"reduce": reducing(false, reduce), "combined": reducing(true, reduce), "pairs": reducing(false, pairs),
		"right values": CoGroup(words, words, func(_ string, _ []int64, counts iter.Seq[int64], _ func(count)) error {
			use(counts)
			return nil
		}).Bind,
	}
}

// If a function keeps a key's values and ranges over them in a later call or in Close, it gets an
// error, and not another key's values.
func TestValuesAreOfTheirCall(t *testing.T) {
	var kept []iter.Seq[int64]
	var next func() (int64, bool)
	const twice, late = "can be ranged over once", "can be ranged over only until Reduce returns"
	for name, misuse := range map[string]struct {
		use  func(counts iter.Seq[int64])
		end  func()
		want string
	}{
		"ranged twice": {func(counts iter.Seq[int64]) {
			for range 2 {
				for range counts {
				}
			}
		}, nil, twice},
		"begun twice": {func(counts iter.Seq[int64]) {
			for range 2 {
				for range counts {
					break
				}
			}
		}, nil, twice},
		"the sequence of another call": {func(counts iter.Seq[int64]) {
			for range append(kept, counts)[0] {
			}
			kept = append(kept, counts)
		}, nil, late},
		"pulled on in another call": {func(counts iter.Seq[int64]) {
			if next == nil {
				next, _ = iter.Pull(counts)
			}
			next()
		}, nil, late},
		"kept to the end": {func(counts iter.Seq[int64]) { kept = append(kept, counts) }, func() {
			for range kept[0] {
			}
		}, late},
		"right": {func(counts iter.Seq[int64]) {
			next, stop := iter.Pull(counts)
			next()
			stop()
		}, nil, ""},
	} {
		end := misuse.end
		if end == nil {
			end = func() {}
		}
		for kind, bind := range valueJobs(misuse.use, end) {
			if kind == "right values" && misuse.end != nil {
				continue // a join has no Close
			}
			local, engine := bothWays(t, func() (*Plan, error) {
				kept, next = nil, nil
				return bind(unread[Pair[string, int64]]())
			})
			for _, err := range []error{local, engine} {
				if misuse.want == "" {
					require.NoError(t, err, "%s, %s", kind, name)
				} else {
					require.ErrorContains(t, err, misuse.want, "%s, %s", kind, name)
					require.True(t, fault.IsPermanent(err), "%s, %s", kind, name)
				}
			}
		}
	}
}

// byPair returns a job whose keys are pairs of a word and a number, with these groups and
// partitions.
func byPair(group int, partition func(k Pair[string, int], reduces int) int) func() (*Plan, error) {
	return func() (*Plan, error) {
		return Job[[]byte, Pair[string, int], None, string]{
			Map: func(line []byte, emit func(Pair[string, int], None)) error {
				emit(MakePair(string(line[:1]), int(line[1])), None{})
				return nil
			},
			Reduce:    func(Pair[string, int], iter.Seq[None], func(string)) error { return nil },
			Partition: partition, GroupFields: group, Reducers: 3,
		}.Bind(Lines(Bytes("text", bytes.Repeat([]byte("a1\na2\nb1\nb2\n"), 8))), unread[string]())
	}
}

// A Partition that sends a group's keys to two reduces, or returns different numbers for the same
// key, in the maps or in the reduce, makes the job fail.
func TestPartitionMisuse(t *testing.T) {
	byWord := func(k Pair[string, int], reduces int) int { return int(k.First[0]) % reduces }
	byNumber := func(k Pair[string, int], reduces int) int { return k.Second % reduces }
	const function = "it must depend on nothing but its arguments"
	for name, c := range map[string]struct {
		bind func() (*Plan, error)
		want string // empty: no error
	}{
		"by the group":                      {byPair(1, byWord), ""},
		"beyond the group":                  {byPair(1, byNumber), "with GroupFields 1 it must look at nothing but the first 1 fields"},
		"beyond one field, in whole groups": {byPair(0, byNumber), ""},
		"no function in maps": {func() (*Plan, error) {
			calls := 0
			return byPair(0, func(_ Pair[string, int], reduces int) int { calls++; return calls % reduces })()
		}, function},
		"no function in reduces": {func() (*Plan, error) {
			calls := map[Pair[string, int]]int{}
			return byPair(0, func(k Pair[string, int], _ int) int {
				calls[k]++
				return map[bool]int{true: 0, false: 1}[calls[k] <= 8]
			})()
		}, function},
	} {
		local, engine := bothWays(t, c.bind)
		for _, err := range []error{local, engine} {
			if c.want == "" {
				require.NoError(t, err, name)
			} else {
				require.ErrorContains(t, err, c.want, name)
			}
		}
	}
}

// Collected.Records is an error until the job has succeeded, rather than an empty list.
func TestRecordsBeforeSuccess(t *testing.T) {
	var out Collected[Pair[string, int64]]
	require.ErrorIs(t, errorOf(out.Records()), output.ErrNotCollected)
	bind := func(text string) *Plan { return must(wordCount(true).Bind(Lines(textOf(text)), out.Output()))(t) }
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, errorOf(RunLocal(canceled, bind("a\n"), LocalOptions{})), context.Canceled)
	require.ErrorIs(t, errorOf(out.Records()), output.ErrNotCollected)

	p := bind("a a\n")
	made := must(p.RunMap(t.Context(), &cluster.MapAttempt{Split: begun(t, p, nil)[0]}))(t)
	require.NoError(t, p.RunReduce(t.Context(), &cluster.ReduceAttempt{Next: sent(0, made)}))
	require.NoError(t, p.Job().CommitTask(AttemptID{Kind: attempt.Reduce}))
	require.ErrorIs(t, errorOf(out.Records()), output.ErrNotCollected, "before the job's end")
	require.NoError(t, p.CommitJob())
	records := must(out.Records())(t)
	require.Equal(t, []Pair[string, int64]{{"a", 2}}, records)

	require.ErrorIs(t, errorOf(RunLocal(t.Context(), bind("b\n"), LocalOptions{})), output.ErrDestinationUsed)
	require.Equal(t, records, must(out.Records())(t), "another job's refusal changes nothing")
	require.NoError(t, bind("b\n").AbortJob())
	require.Equal(t, records, must(out.Records())(t), "nor does a plan that is given up before its set-up")
}

// A second job for the same Writer is an error at once, since it would wait for its part forever.
func TestWriterServesOneJob(t *testing.T) {
	var b bytes.Buffer
	to := Text[[]byte](Writer("w", &b))
	for i, want := range []error{nil, output.ErrDestinationUsed} {
		p := must(keepLines().Bind(Lines(textOf("one\n")), to))(t)
		require.ErrorIs(t, errorOf(RunLocal(context.Background(), p, LocalOptions{})), want, i)
		require.NoError(t, p.AbortJob())
	}
	require.Equal(t, "one\n", b.String())
}

// An emit after its call, here in the reduce, panics: its record could be lost, or reach another
// job's buffers.
func TestEmitBelongsToItsCall(t *testing.T) {
	for _, combine := range []bool{false, true} {
		panics := 0
		local, engine := bothWays(t, func() (*Plan, error) {
			job := wordCount(combine)
			var kept func(string, int64)
			job.Map = func(_ []byte, emit func(string, int64)) error {
				kept = emit
				emit("in time", 1)
				return nil
			}
			job.ReduceTask, job.Reduce = func(*Task) (Reducer[string, int64, Pair[string, int64]], error) {
				elsewhere(func() {
					require.PanicsWithValue(t, memory.Outside, func() { kept("late", 1) })
					panics++
				})
				return Reducer[string, int64, Pair[string, int64]]{Reduce: wordCount(true).Reduce}, nil
			}, nil
			return job.Bind(Lines(textOf("a\nb\n")), unread[Pair[string, int64]]())
		})
		require.NoError(t, local)
		require.NoError(t, engine)
		require.Equal(t, 2, panics)
	}
}

// An emit between two calls panics. If it is in the attempt's own goroutine, the panic becomes the
// attempt's error.
func TestEmitBetweenCalls(t *testing.T) {
	var late func() // emits what the last call might have emitted
	records := Seq2(func(yield func([]byte, error) bool) {
		if yield([]byte("a"), nil) {
			late()
		}
	})
	mapped := func(combine bool) func() (*Plan, error) {
		job := wordCount(combine)
		job.Map = func(_ []byte, emit func(string, int64)) error { late = func() { emit("late", 1) }; return nil }
		return func() (*Plan, error) { return job.Bind(records, unread[Pair[string, int64]]()) }
	}
	for name, bind := range map[string]func() (*Plan, error){
		"map": mapped(false), "map with Combine": mapped(true),
		"map-only": func() (*Plan, error) {
			return MapOnly[[]byte, []byte]{Map: func(rec []byte, emit func([]byte)) error { late = func() { emit(rec) }; return nil }}.
				Bind(records, unread[[]byte]())
		},
		"reduce": func() (*Plan, error) {
			late = func() {}
			job := wordCount(false)
			job.Reduce = func(word string, _ iter.Seq[int64], emit func(Pair[string, int64])) error {
				late = func() { emit(MakePair(word, int64(1))) }
				return nil
			}
			job.Partition = func(string, int) int { late(); return 0 }
			job.Reducers = 2
			return job.Bind(Lines(textOf("a b\n")), unread[Pair[string, int64]]())
		},
	} {
		local, engine := bothWays(t, bind)
		require.ErrorContains(t, local, memory.Outside, name)
		require.ErrorContains(t, engine, memory.Outside, name)
	}
}
