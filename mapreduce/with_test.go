package mapreduce

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Task.Offset is the offset of the current record, for all inputs and splits.
func TestOffsetIsTheRecordsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,5}`), 0, 20).Draw(t, "lines"), "\n"))
		block, local := rapid.Int64Range(1, 40).Draw(t, "block"), rapid.Bool().Draw(t, "local")
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err := z.Write(text)
		require.NoError(t, errors.Join(err, z.Close()))
		check := func(name string, in Input[[]byte], size int) {
			at := MapOnly[[]byte, string]{MapTask: func(t *Task) (Filter[[]byte, string], error) {
				return Filter[[]byte, string]{Map: func(rec []byte, emit func(string)) error {
					emit(fmt.Sprintf("%d %s", t.Offset(), rec))
					return nil
				}}, nil
			}}
			got := gather(t, func(out Output[string]) (*Plan, error) { return at.Bind(in, out) }, local, block, 1)
			var want []string
			from := 0
			for from < len(text) {
				n := size
				if size == 0 {
					if n = bytes.IndexByte(text[from:], '\n'); n < 0 {
						n = len(text) - from
					}
				}
				want = append(want, fmt.Sprintf("%d %s", from, text[from:from+n]))
				if from += n; size == 0 {
					from++
				}
			}
			require.Equal(t, want, got, name)
		}
		check("lines", Lines(Bytes("text", text)), 0)
		stored := must(Stored(dfs.Bytes("text.gz", packed.Bytes())))(t)
		check("packed", Lines(stored), 0)
		check("lines of a list", NLines(3, Bytes("text", text)), 0)
		if len(text)%2 == 0 {
			check("fixed", FixedSize(2, Bytes("text", text)), 2)
		}
		numbers := MapOnly[int, int64]{MapTask: func(t *Task) (Filter[int, int64], error) {
			return Filter[int, int64]{Map: func(_ int, emit func(int64)) error {
				emit(t.Offset())
				return nil
			}}, nil
		}}
		for name, in := range map[string]Input[int]{"slice": Slice([]int{9, 8, 7}), "sequence": Seq(slices.Values([]int{9, 8, 7}))} {
			got := gather(t, func(out Output[int64]) (*Plan, error) { return numbers.Bind(in, out) }, local, block, 1)
			require.Equal(t, []int64{0, 1, 2}, got, name)
		}
	})
}

// After a skipped record, Task.Offset is still that of the current record.
func TestOffsetAfterSkippedRecords(t *testing.T) {
	at := MapOnly[[]byte, int64]{MapTask: func(t *Task) (Filter[[]byte, int64], error) {
		return Filter[[]byte, int64]{Map: func(rec []byte, emit func(int64)) error {
			if len(rec) == 1 {
				return errors.New("too short")
			}
			emit(t.Offset())
			return nil
		}}, nil
	}}
	var out Collected[int64]
	p := must(at.Bind(Lines(textOf("aa\nb\ncc\nd\n\nee\n")), out.Output()))(t)
	must(RunLocal(context.Background(), p, LocalOptions{MaxSkips: 2}))(t)
	require.Equal(t, []int64{0, 5, 10, 11}, must(out.Records())(t))
}

// MapTask and ReduceTask get a Task with counters, names, and a logger that names the attempt.
func TestMapWithAndReduceWithKnowTheTask(t *testing.T) {
	for _, local := range []bool{true, false} {
		var log bytes.Buffer
		plain := slog.New(slog.NewTextHandler(&log, nil))
		defer slog.SetDefault(slog.Default())
		slog.SetDefault(plain)
		job := Job[[]byte, string, int, string]{
			MapTask: func(t *Task) (Mapper[[]byte, string, int], error) {
				return Mapper[[]byte, string, int]{Map: func(rec []byte, emit func(string, int)) error {
					t.Counter("mine", "lines").Add(1)
					t.Logger().Info("mapped", "line", string(rec))
					emit(t.InputName(), len(rec))
					return nil
				}}, nil
			},
			ReduceTask: func(t *Task) (Reducer[string, int, string], error) {
				return Reducer[string, int, string]{Reduce: func(k string, vs iter.Seq[int], emit func(string)) error {
					for range vs {
						t.Counter("mine", "values").Add(1)
					}
					t.Logger().Info("reduced")
					emit(fmt.Sprint(k, " ", t.ID(), " ", t.Offset()))
					return nil
				}}, nil
			},
		}
		var out Collected[string]
		p := must(job.Bind(Lines(textOf("a\nb\n")), out.Output()))(t)
		var c *counter.Set
		if local {
			c = must(RunLocal(context.Background(), p, LocalOptions{}))(t)
		} else {
			c = engine(t, p, 1, nil, cluster.Resources{Log: plain})
		}
		require.EqualValues(t, 2, c.Named("mine", "lines"))
		require.EqualValues(t, 2, c.Named("mine", "values"))
		require.Equal(t, []string{"text r-00000-0 0"}, must(out.Records())(t))
		require.Contains(t, log.String(), "msg=mapped attempt=m-00000-0 input=text line=b\n")
		require.Contains(t, log.String(), "msg=reduced attempt=r-00000-0\n")
	}
}

// Reducer.Pairs gets each value with its own key, in the order of whole keys.
func TestReducePairsGivesEachKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type reading = Pair[string, int64]
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) reading {
			return MakePair(rapid.SampledFrom([]string{"", "x", "x\x00"}).Draw(t, "station"), rapid.Int64Range(0, 4).Draw(t, "time"))
		}), 0, 20).Draw(t, "readings")
		descending, combine := rapid.Bool().Draw(t, "descending"), rapid.Bool().Draw(t, "combine")
		job := Job[reading, reading, int64, string]{
			Map:         func(r reading, emit func(reading, int64)) error { emit(r, 1); return nil },
			GroupFields: 1, Descending: descending,
			ReduceTask: func(*Task) (Reducer[reading, int64, string], error) {
				return Reducer[reading, int64, string]{Pairs: func(pairs iter.Seq2[reading, int64], emit func(string)) error {
					line, times, n := "", []int64(nil), int64(0)
					for k, v := range pairs {
						if line == "" {
							line = fmt.Sprintf("%q", k.First)
						}
						if len(times) == 0 || times[len(times)-1] != k.Second {
							times = append(times, k.Second)
						}
						n += v
					}
					emit(fmt.Sprint(line, times, n))
					return nil
				}}, nil
			},
		}
		if combine {
			job.Combine = func(a, b int64) int64 { return a + b }
		}
		var want []string
		for _, station := range []string{"", "x", "x\x00"} {
			var times []int64
			for _, r := range list {
				if r.First == station {
					times = append(times, r.Second)
				}
			}
			if n := len(times); n > 0 {
				slices.Sort(times)
				times = slices.Compact(times)
				if descending {
					slices.Reverse(times)
				}
				want = append(want, fmt.Sprint(fmt.Sprintf("%q", station), times, n))
			}
		}
		slices.Sort(want)
		got := gather(t, func(out Output[string]) (*Plan, error) { return job.Bind(Slice(list), out) },
			rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 9).Draw(t, "block"), rapid.IntRange(1, 3).Draw(t, "reduces"))
		slices.Sort(got)
		require.Equal(t, want, got)
	})
}

// Pairs can be ranged over only once, and a Reducer must have either Reduce or Pairs.
func TestReducePairsOnce(t *testing.T) {
	job := Job[int, int, int, int]{
		Map: func(n int, emit func(int, int)) error { emit(n, n); return nil },
		ReduceTask: func(*Task) (Reducer[int, int, int], error) {
			return Reducer[int, int, int]{Pairs: func(pairs iter.Seq2[int, int], _ func(int)) error {
				for range pairs {
					break
				}
				for range pairs {
					break
				}
				return nil
			}}, nil
		},
	}
	run := func(j Job[int, int, int, int]) error {
		err := ran(j.Bind(Slice([]int{1, 1}), unread[int]()))
		return err
	}
	require.ErrorContains(t, run(job), "the values of a key can be ranged over once")
	job.ReduceTask = func(*Task) (Reducer[int, int, int], error) { return Reducer[int, int, int]{}, nil }
	require.ErrorContains(t, run(job), "ReduceTask must return a Reducer with either Reduce or Pairs")
}
