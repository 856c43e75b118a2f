package mapreduce_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// spoiled returns a text with good and bad lines, and a text of only the good ones.
func spoiled(lines int) (all, good string, bad int) {
	var a, g strings.Builder
	for i := range lines {
		line := fmt.Sprintf("w%d w%d %s\n", i%7, i%13, strings.Repeat("x", i%40))
		switch {
		case i%11 == 3:
			bad++
			line = fmt.Sprintf("w1 panic w%d\n", i)
		case i%17 == 5:
			bad++
			line = fmt.Sprintf("w2 error w%d\n", i)
		default:
			g.WriteString(line)
		}
		a.WriteString(line)
	}
	return a.String(), g.String(), bad
}

// stumble emits the words of a line, until it fails at a bad word in the way that the word says.
func stumble(u *counter.User, line []byte, emit func(string)) error {
	for word := range bytes.FieldsSeq(line) {
		u.Add(1)
		switch string(word) {
		case "panic":
			panic("bad word")
		case "error":
			return errors.New("bad word")
		}
		emit(string(word))
	}
	return nil
}

// skipTrials are jobs, by name, whose maps emit in each way that the engine has.
func skipTrials() map[string]func(Input[[]byte], Destination) (*Plan, error) {
	count := func(task *Task) *counter.User { return task.Counter("user", "words") }
	counting := func(combine func(a, b int64) int64) func(Input[[]byte], Destination) (*Plan, error) {
		return func(in Input[[]byte], to Destination) (*Plan, error) {
			return Job[[]byte, string, int64, Pair[string, int64]]{
				MapTask: func(task *Task) (Mapper[[]byte, string, int64], error) {
					u := count(task)
					return Mapper[[]byte, string, int64]{Map: func(line []byte, emit func(string, int64)) error {
						return stumble(u, line, func(w string) { emit(w, 1) })
					}}, nil
				},
				Combine: combine,
			}.Bind(in, Text[Pair[string, int64]](to))
		}
	}
	return map[string]func(Input[[]byte], Destination) (*Plan, error){
		"sorts":    counting(nil),
		"combines": counting(func(a, b int64) int64 { return a + b }),
		"bytes": func(in Input[[]byte], to Destination) (*Plan, error) { // the map overwrites emitted keys and values
			return Job[[]byte, []byte, []byte, Pair[[]byte, []byte]]{
				MapTask: func(task *Task) (Mapper[[]byte, []byte, []byte], error) {
					u, buf := count(task), make([]byte, 0, 64)
					return Mapper[[]byte, []byte, []byte]{Map: func(line []byte, emit func(k, v []byte)) error {
						return stumble(u, line, func(w string) {
							buf = append(buf[:0], w...)
							emit(buf, line[:2])
						})
					}}, nil
				},
			}.Bind(in, Text[Pair[[]byte, []byte]](to))
		},
		"maps only": func(in Input[[]byte], to Destination) (*Plan, error) {
			return MapOnly[[]byte, []byte]{MapTask: func(task *Task) (Filter[[]byte, []byte], error) {
				u := count(task)
				return Filter[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error {
					return stumble(u, line, func(w string) { emit([]byte(w)) })
				}}, nil
			}}.Bind(in, Text[[]byte](to))
		},
	}
}

// skipping runs a plan, which may skip `most` records, in RunLocal or on the engine.
func skipping(t require.TestingT, p *Plan, local bool, most int) (c *counter.Set, list []cluster.Skipped) {
	if local {
		c = must(RunLocal(context.Background(), p, LocalOptions{MaxSkips: most, Skipped: &list}))(t)
		return c, list
	}
	e := &engineRun{maxSkips: most, Resources: cluster.Resources{Counters: new(counter.Set)}}
	require.NoError(t, e.run(context.Background(), p))
	return e.Counters, e.skipped
}

// A job that skips its bad records has the output and counters of a job over the others, whatever
// was emitted before the failure. It lists the places of the bad ones.
func TestSkippedRecordsLeaveNothing(t *testing.T) {
	all, good, bad := spoiled(3000)
	for name, bind := range skipTrials() {
		var want bytes.Buffer
		counters := must(RunLocal(t.Context(), must(bind(Lines(textOf(good)), Writer("out", &want)))(t), LocalOptions{}))(t)
		for _, local := range []bool{true, false} {
			var out bytes.Buffer
			got, list := skipping(t, must(bind(Lines(textOf(all)), Writer("out", &out)))(t), local, bad)
			require.Equal(t, want.String(), out.String(), "%s, local %v", name, local)
			require.Equal(t, int64(bad), got.Get(counter.MapSkippedRecords))
			require.Equal(t, counters.Get(counter.MapInputRecords)+int64(bad), got.Get(counter.MapInputRecords))
			require.Equal(t, counters.Get(counter.MapOutputRecords), got.Get(counter.MapOutputRecords))
			require.Equal(t, counters.Named("user", "words"), got.Named("user", "words"))
			require.Len(t, list, bad)
			for _, s := range list {
				require.True(t, strings.HasPrefix(all[s.Offset:], s.Head+"\n"), "%+v", s)
				require.Equal(t, int64(1+strings.Count(all[:s.Offset], "\n")), s.Number)
				require.Equal(t, "text", s.Input)
				require.Contains(t, s.Reason, "bad word")
				if strings.Contains(s.Head, "panic") {
					require.Contains(t, s.Reason, "mapreduce/skips_test.go:")
				}
			}
		}
	}
}

// With more bad records than allowed, a job fails and names the first cause. A permanent error
// fails it at once. By default no record is skipped.
func TestWhatIsNotSkipped(t *testing.T) {
	all, _, bad := spoiled(300)
	for name, bind := range skipTrials() {
		run := func(most int) error {
			p := must(bind(Lines(textOf(all)), Writer("out", io.Discard)))(t)
			return errorOf(RunLocal(t.Context(), p, LocalOptions{MaxSkips: most}))
		}
		err := run(bad - 1)
		require.ErrorIs(t, err, cluster.ErrTooManySkips, name)
		require.ErrorContains(t, err, fmt.Sprintf("more than %d, the first: text: at byte ", bad-1))
		require.ErrorContains(t, err, "bad word")
		require.True(t, fault.IsPermanent(err))
		err = run(0)
		require.NotErrorIs(t, err, cluster.ErrTooManySkips)
		require.ErrorContains(t, err, "bad word")
	}
	job := MapOnly[[]byte, []byte]{Map: func([]byte, func([]byte)) error { return Permanent(errors.New("no use")) }}
	p := must(job.Bind(Lines(textOf("a\nb\n")), unread[[]byte]()))(t)
	require.ErrorContains(t, errorOf(RunLocal(t.Context(), p, LocalOptions{MaxSkips: 9})), "no use")
}

// If a map returns an error of Bad, it is not retried; if skips are allowed, the record is skipped.
func TestBadRecordsAreSkipped(t *testing.T) {
	noNumber := errors.New("no number")
	require.NoError(t, BadRecord(nil))
	require.ErrorIs(t, BadRecord(noNumber), noNumber)
	require.True(t, fault.IsPermanent(fmt.Errorf("x: %w", BadRecord(noNumber))))
	require.True(t, fault.IsBad(fmt.Errorf("x: %w", BadRecord(noNumber))))
	require.False(t, fault.IsBad(Permanent(noNumber)))
	job := MapOnly[[]byte, []byte]{Map: func([]byte, func([]byte)) error { return BadRecord(noNumber) }}
	_, list := skipping(t, must(job.Bind(Lines(textOf("a\n")), unread[[]byte]()))(t), true, 1)
	require.Len(t, list, 1)
	require.Equal(t, "no number", list[0].Reason)
}

// _skipped.jsonl lists the skipped records in the output, which a later run may replace.
func TestQuarantineFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	job := MapOnly[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error {
		if len(line) == 0 {
			return errors.New("empty")
		}
		emit(line)
		return nil
	}}
	for range 2 {
		skipping(t, must(job.Bind(Lines(textOf("a\n\nb\n\n")), Text[[]byte](ReplacedDir(dir))))(t), true, 2)
		var list []cluster.Skipped
		for line := range bytes.Lines(must(os.ReadFile(filepath.Join(dir, "_skipped.jsonl")))(t)) {
			var s cluster.Skipped
			require.NoError(t, json.Unmarshal(line, &s))
			list = append(list, s)
		}
		require.Equal(t, []cluster.Skipped{
			{Input: "text", Offset: 2, Number: 2, Reason: "empty"},
			{Input: "text", Offset: 5, Number: 4, Reason: "empty"},
		}, list)
	}
}

// Records can be skipped in each kind of input but Chunks.
func TestSkipsByInput(t *testing.T) {
	records := [][]byte{[]byte("good"), []byte("evil"), []byte("fine")}
	text := textOf("good\nevil\nfine\n")
	fails := func(record []byte, emit func([]byte)) error {
		if bytes.HasPrefix(record, []byte("evil")) {
			panic("evil")
		}
		emit(record)
		return nil
	}
	sources := []Source{Bytes("one", records[0]), Bytes("two", records[1]), Bytes("three", records[2])}
	files := MapOnly[WholeFile, []byte]{Map: func(f WholeFile, emit func([]byte)) error { return fails(f.Data, emit) }}
	strs := MapOnly[string, []byte]{Map: func(s string, emit func([]byte)) error { return fails([]byte(s), emit) }}
	pairs := MapOnly[Pair[[]byte, []byte], []byte]{Map: func(p Pair[[]byte, []byte], emit func([]byte)) error {
		return fails(p.First, emit)
	}}
	bytesOf := MapOnly[[]byte, []byte]{Map: fails}
	joined := BroadcastJoin(Lines(text), func(b []byte) []byte { return b }, Keyed(Slice(records), func(b []byte) []byte { return b }),
		func(b []byte, matches [][]byte, emit func([]byte)) error { return fails(matches[0], emit) })
	for name, c := range map[string]struct {
		bind func(Output[[]byte]) (*Plan, error)
		want cluster.Skipped
	}{
		"lines":      {bytesOf.Over(Lines(text)), skipped("text", 5, 2, "evil", 4)},
		"n lines":    {bytesOf.Over(NLines(3, text)), skipped("text", 5, 2, "evil", 4)},
		"strings":    {strs.Over(LineStrings(text)), skipped("text", 5, 2, "evil", 4)},
		"key values": {pairs.Over(KeyValueLines('\t', text)), skipped("text", 5, 2, "evil", 4)},
		"joined":     {joined.Bind, skipped("text", 5, 2, "evil", 4)},
		"fixed size": {bytesOf.Over(FixedSize(5, text)), skipped("text", 5, 2, "evil\n", 5)},
		"files":      {files.Over(WholeFiles(sources...)), skipped("two", 0, 1, "evil", 4)},
		"slice":      {bytesOf.Over(Slice(records)), skipped("slice", -1, 2, "", 0)},
		"sequence":   {bytesOf.Over(Seq(slices.Values(records))), skipped("sequence", -1, 2, "", 0)},
	} {
		counters, list := skipping(t, must(c.bind(unread[[]byte]()))(t), true, 1)
		require.Len(t, list, 1, name)
		require.Contains(t, list[0].Reason, "panic: evil (mapreduce/skips_test.go:", name)
		list[0].Reason = ""
		require.Equal(t, c.want, list[0], name)
		require.EqualValues(t, 2, counters.Get(counter.MapOutputRecords), name)
		leftOutUnseen(t, c.bind, c.want)

		var at *RecordError
		require.ErrorAs(t, ran(c.bind(unread[[]byte]())), &at, name)
		require.Equal(t, c.want, skipped(at.Input, at.Offset, at.Number, at.Head, at.Size), name)
	}
	p := must(bytesOf.Bind(Chunks(text), unread[[]byte]()))(t)
	require.EqualError(t, errorOf(RunLocal(t.Context(), p, LocalOptions{MaxSkips: 1})),
		"mapreduce: records of Chunks cannot be left out: which lines are in one depends on the blocks")
	require.ErrorContains(t, ran(bytesOf.Bind(Chunks(textOf("evil\n")), unread[[]byte]())),
		`text: at byte 0, "evil\n": panic: evil (mapreduce/skips_test.go:`)
}

func skipped(input string, offset, number int64, head string, size int) cluster.Skipped {
	return cluster.Skipped{Input: input, Offset: offset, Number: number, Head: head, Size: size}
}

// leftOutUnseen checks that an attempt skips the record `want`, which LeaveOut lists, without
// passing it to the map, and that Progress names the current record.
func leftOutUnseen(t *testing.T, bind func(Output[[]byte]) (*Plan, error), want cluster.Skipped) {
	p := must(bind(unread[[]byte]()))(t)
	splits := begun(t, p, nil)
	var progress cluster.Progress
	a := &cluster.MapAttempt{
		MaxSkips: 1, LeaveOut: []cluster.BadRecord{{Input: want.Input, Number: want.Number, Reason: "told"}, {Input: want.Input, Number: 17, Reason: "beyond"}, {Input: "other", Number: 1, Reason: "elsewhere"}},
		Resources: cluster.Resources{Progress: &progress, Counters: new(counter.Set)},
	}
	input, number := progress.AtHand()
	require.Zero(t, number)
	require.Empty(t, input)
	for _, s := range splits {
		if a.Split = s; p.Job().Sources[s.Source].Name() == want.Input || len(splits) == 1 {
			break
		}
	}
	out := must(p.RunMap(t.Context(), a))(t)
	list := out.Skipped()
	require.Len(t, list, 1)
	require.Equal(t, "told", list[0].Reason)
	list[0].Reason = ""
	require.Equal(t, want, list[0])
	if _, number = progress.AtHand(); want.Number > 1 {
		require.EqualValues(t, 3, number, "the last one that the map saw")
	}
}

// brittle is a value whose codec cannot decode the word "torn", although it encodes it.
type brittle string

func (b brittle) MarshalBinary() ([]byte, error) { return []byte(b), nil }

func (b *brittle) UnmarshalBinary(data []byte) error {
	if string(data) == "torn" {
		return errors.New("torn value")
	}
	*b = brittle(data)
	return nil
}

// If a key or a value cannot be decoded, its record is bad, and no other pair of that record is in
// the output. So it is in a job and on both sides of a join.
func TestUnreadablePairsAreSkippedWhole(t *testing.T) {
	type pair = Pair[string, brittle]
	words := func(line []byte, emit func(string, brittle)) error {
		for word := range bytes.FieldsSeq(line) {
			emit(string(line[:1]), brittle(word))
		}
		return nil
	}
	lines := Lines(textOf("a b\nc d torn e\nf g\n"))
	feed := From(lines, func(_ *Task, line []byte, emit func(string, brittle)) error { return words(line, emit) })
	keys := Keyed(Slice([]string{"a", "c", "f"}), func(key string) string { return key })
	inverse := func(_ *Task, line []byte, emit func(brittle, string)) error {
		return words(line, func(key string, v brittle) { emit(v, key) })
	}
	values := Keyed(Slice(strings.Split("abcdefg", "")), func(v string) brittle { return brittle(v) })
	for name, bind := range map[string]func(out Output[pair]) (*Plan, error){
		"job": Job[[]byte, string, brittle, pair]{Map: words}.Over(lines),
		"left of a join": Join(feed, keys, func(key string, v brittle, _ string, emit func(pair)) error {
			emit(pair{key, v})
			return nil
		}).Bind,
		"key of a join": Join(From(lines, inverse), values, func(v brittle, key, _ string, emit func(pair)) error {
			emit(pair{key, v})
			return nil
		}).Bind,
		"right of a join": Join(keys, feed, func(key string, _ string, v brittle, emit func(pair)) error {
			emit(pair{key, v})
			return nil
		}).Bind,
	} {
		for _, local := range []bool{true, false} {
			var out Collected[pair]
			_, list := skipping(t, must(bind(out.Output()))(t), local, 1)
			require.Equal(t, []pair{{"a", "a"}, {"a", "b"}, {"f", "f"}, {"f", "g"}}, must(out.Records())(t), name)
			require.Len(t, list, 1, name)
			require.Contains(t, list[0].Reason, "torn value")
		}
	}
}

// What a Close emits is kept in a job that may skip records, too.
func TestCloseInASkippingJob(t *testing.T) {
	for _, sum := range []bool{false, true} {
		for _, local := range []bool{false, true} {
			n := int64(0)
			var out Collected[Pair[string, int64]]
			skipping(t, must(Job[[]byte, string, int64, Pair[string, int64]]{
				Sum: sum,
				MapTask: func(*Task) (Mapper[[]byte, string, int64], error) {
					return Mapper[[]byte, string, int64]{
						Map:   func([]byte, func(string, int64)) error { n++; return nil },
						Close: func(emit func(string, int64)) error { emit("lines", n); return nil },
					}, nil
				},
			}.Bind(Lines(textOf("a\nb\nc\n")), out.Output()))(t), local, 1)
			require.Equal(t, []Pair[string, int64]{{"lines", 3}}, must(out.Records())(t))
		}
	}
}
