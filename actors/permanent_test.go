package actors_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// moody is a number whose methods to encode and decode it fail if it is odd.
type moody int

func (m moody) MarshalBinary() ([]byte, error) {
	if m%4 == 1 {
		return nil, errors.New("no bytes")
	}
	return binary.AppendVarint(nil, int64(m)), nil
}

func (m *moody) UnmarshalBinary(b []byte) error {
	n, _ := binary.Varint(b)
	if *m = moody(n); n%4 == 3 {
		return errors.New("no number")
	}
	return nil
}

func (m moody) MarshalText() ([]byte, error) {
	if m%4 == 2 {
		return nil, errors.New("no text")
	}
	return []byte("moody"), nil
}

// discards returns an output for records of any type.
func discards[O any]() mapreduce.Output[O] {
	return mapreduce.Encoded(mapreduce.Writer("discard", io.Discard), func(dst []byte, _ O) ([]byte, error) { return dst, nil })
}

// passing returns a job that outputs its records unchanged.
func passing[I any](in mapreduce.Input[I]) func() (*mapreduce.Plan, error) {
	return func() (*mapreduce.Plan, error) {
		return mapreduce.Apply(func(rec I) I { return rec }).Bind(in, discards[I]())
	}
}

// shuffling returns a job whose map emits each record with its value. change may modify the job.
func shuffling[V any](value func(i int) V, change func(j *mapreduce.Job[int, int, V, int])) func() (*mapreduce.Plan, error) {
	job := mapreduce.Job[int, int, V, int]{
		Map: func(i int, emit func(int, V)) error {
			emit(i, value(i))
			return nil
		},
		Reduce: func(k int, vs iter.Seq[V], emit func(int)) error {
			for range vs {
				emit(k)
			}
			return nil
		},
		Reducers: 2,
	}
	if change != nil {
		change(&job)
	}
	return func() (*mapreduce.Plan, error) { return job.Bind(mapreduce.Slice([]int{0, 4, 1, 3}), discards[int]()) }
}

func textOf(name, text string) mapreduce.Source { return mapreduce.Bytes(name, []byte(text)) }

// typedDamage returns a typed file of moody numbers with a damaged last record.
func typedDamage(t *testing.T) mapreduce.Source {
	t.Helper()
	var out bytes.Buffer
	p, err := mapreduce.Apply(func(i int) moody { return moody(i) }).Bind(
		mapreduce.Slice([]int{0, 4, 3}), mapreduce.Typed[moody](mapreduce.Writer("typed", &out)))
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{})
	require.NoError(t, err)
	return mapreduce.Bytes("typed", out.Bytes())
}

// The engine does not retry an error that the program or its input determines. The job fails at the
// first attempt, with a message of one line.
func TestDeterminedErrorsAreNotRetried(t *testing.T) {
	c, err := actors.Start(actors.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	type job = mapreduce.Job[int, int, moody, int]
	moodyOf := func(i int) moody { return moody(i) }
	numbers := mapreduce.Slice([]int{0, 4, 1, 3})
	dir := func() mapreduce.Destination { return mapreduce.Dir(filepath.Join(t.TempDir(), "out")) }
	calls := 0
	for name, x := range map[string]struct {
		bind func() (*mapreduce.Plan, error)
		want string
		bad  bool // a record causes it, so that MaxSkips may skip it
	}{
		"FixedSize": {passing(mapreduce.FixedSize(3, textOf("f", "abcdefgh"))), "f: ends within a record of 3 bytes", false},
		"CSV count": {passing(mapreduce.CSV(mapreduce.CSVOptions{}, textOf("f", "a,b\nc\n"))), "line 2: 1 fields, but", true},
		"CSV quotes": {
			passing(mapreduce.CSV(mapreduce.CSVOptions{}, textOf("f", "a,b\nc,\"d\"e\n"))), "line 2, column 5", false,
		},
		"CSV header": {
			passing(mapreduce.CSVRows[struct{ X, Y int }](mapreduce.CSVOptions{Header: true}, textOf("f", "X,Z\n1,2\n"))), `no column "Y"`, false,
		},
		"CSV number": {
			passing(mapreduce.CSVRows[struct{ X, Y int }](mapreduce.CSVOptions{}, textOf("f", "1,2\n3,x\n"))), "line 2, column 3", true,
		},
		"JSONLines":  {passing(mapreduce.JSONLines[int](textOf("f", "1\nx\n"))), "invalid character", true},
		"ReadTyped":  {passing(mapreduce.ReadTyped[moody](typedDamage(t))), "no number", true},
		"Units, nil": {passing(mapreduce.Units([]int{1}, func(context.Context, int) iter.Seq2[int, error] { return nil })), "a nil sequence of records", false},
		"MapTask": {shuffling(moodyOf, func(j *job) {
			j.Map, j.MapTask = nil, func(*mapreduce.Task) (m mapreduce.Mapper[int, int, moody], err error) { return m, nil }
		}), "Map", false},
		"ReduceTask": {shuffling(func(i int) int { return i }, func(j *mapreduce.Job[int, int, int, int]) {
			j.Reduce, j.ReduceTask = nil, func(*mapreduce.Task) (r mapreduce.Reducer[int, int, int], err error) { return r, nil }
		}), "Reduce", false},
		"Filter": {func() (*mapreduce.Plan, error) {
			return mapreduce.MapOnly[int, int]{
				MapTask: func(*mapreduce.Task) (f mapreduce.Filter[int, int], err error) { return f, nil },
			}.Bind(numbers, discards[int]())
		}, "MapTask returned a Mapper or Filter without Map", false},
		"MarshalBinary":   {shuffling(moodyOf, nil), "encoding actors_test.moody: no bytes", true},
		"UnmarshalBinary": {shuffling(func(i int) moody { return moody(i / 3 % 2 * 3) }, nil), "decoding actors_test.moody: no number", false},
		"MarshalText": {func() (*mapreduce.Plan, error) {
			return mapreduce.Apply(func(i int) moody { return moody(i + i%2) }).Bind(numbers, mapreduce.Text[moody](dir()))
		}, "no text", true},
		"Routed": {func() (*mapreduce.Plan, error) {
			return mapreduce.Apply(func(i int) int { return i }).Bind(numbers, mapreduce.Routed(mapreduce.Text[int](dir()),
				func(i int) string { return strings.Repeat("/", i%2) }))
		}, `Routed: the name "/" has a slash`, true},
		"Partition": {shuffling(func(i int) int { return i }, func(j *mapreduce.Job[int, int, int, int]) {
			j.Partition = func(k, reduces int) int { return k % 4 / 3 * reduces }
		}), "Partition returned 2 of 2 reduces", false},
		"moody Partition": {shuffling(func(i int) int { return i }, func(j *mapreduce.Job[int, int, int, int]) {
			j.Partition = func(_, reduces int) int { calls++; return calls / 5 % reduces }
		}), "it must depend on nothing but its arguments", false},
		"values ranged over twice": {shuffling(func(i int) int { return i }, func(j *mapreduce.Job[int, int, int, int]) {
			j.Reducers = 1
			j.Reduce = func(_ int, vs iter.Seq[int], emit func(int)) error {
				for _, v := range append(slices.Collect(vs), slices.Collect(vs)...) {
					emit(v)
				}
				return nil
			}
		}), "can be ranged over once", false},
		"Parts": {func() (*mapreduce.Plan, error) {
			return mapreduce.Apply(func(i int) int { return i }).Bind(numbers, mapreduce.Parts(dir(),
				func(*mapreduce.Task, *mapreduce.PartFile) (mapreduce.PartWriter[int], error) { return nil, nil }))
		}, "open returned no writer", false},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(o actors.SubmitOptions) (actors.Result, error) {
				p, err := x.bind()
				require.NoError(t, err)
				h, err := c.Submit(t.Context(), p, o)
				require.NoError(t, err)
				return h.Wait(t.Context())
			}
			res, err := run(actors.SubmitOptions{})
			require.ErrorContains(t, err, x.want)
			require.True(t, cluster.IsPermanent(err), "%v", err)
			require.NotContains(t, err.Error(), "failed 4 times")
			require.NotContains(t, err.Error(), "\n")
			for _, kind := range []string{"Failed map tasks", "Failed reduce tasks"} {
				require.LessOrEqual(t, res.Counters.Named(counter.GroupJob, kind), int64(1))
			}
			_, err = run(actors.SubmitOptions{MaxSkips: 4})
			require.Equal(t, x.bad, err == nil, "%v", err)
		})
	}
}

// Bind already returns the errors of an input that it can detect without reading it.
func TestErrorsOfBind(t *testing.T) {
	for name, x := range map[string]struct {
		bind func() (*mapreduce.Plan, error)
		want string
	}{
		"Source": {
			passing(mapreduce.Lines(textOf("f", "a\n"), mapreduce.Source{})),
			"source 2 of 2 is the zero Source: make it with File",
		},
		"Source, a feed's": {func() (*mapreduce.Plan, error) {
			key := func(line []byte) string { return string(line) }
			return mapreduce.Join(
				mapreduce.Keyed(mapreduce.Lines(mapreduce.Source{}), key), mapreduce.Keyed(mapreduce.Lines(textOf("f", "a\n")), key),
				func(k string, _, _ []byte, emit func(string)) error { emit(k); return nil }).Bind(discards[string]())
		}, "is the zero Source"},
		"Source, a small feed's": {func() (*mapreduce.Plan, error) {
			key := func(line []byte) string { return string(line) }
			return mapreduce.BroadcastJoin(
				mapreduce.Lines(textOf("f", "a\n")), key, mapreduce.Keyed(mapreduce.Lines(mapreduce.Source{}), key),
				func(line []byte, _ [][]byte, emit func(string)) error { emit(string(line)); return nil }).Bind(discards[string]())
		}, "small feed: source 1 of 1 is the zero Source"},
		"Seq":       {passing(mapreduce.Seq[int](nil)), "the input has no sequence"},
		"Seq2":      {passing(mapreduce.Seq2[int](nil)), "the input has no sequence"},
		"FixedSize": {passing(mapreduce.FixedSize(0, textOf("f", "a"))), "FixedSize of 0 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := x.bind()
			require.ErrorContains(t, err, x.want)
		})
	}
}
