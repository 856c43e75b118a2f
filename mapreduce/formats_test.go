package mapreduce_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// passOn returns a map-only job that writes each record of its input.
func passOn[I any]() MapOnly[I, I] {
	return Apply(func(rec I) I { return rec })
}

// requireEverywhere checks that an input has the records want, in RunLocal and on the engine, for
// several block sizes. Each run gets a new input.
func requireEverywhere[I any](t testing.TB, want []I, input func() Input[I], blocks ...int64) {
	t.Helper()
	for _, block := range blocks {
		for name, run := range map[string]func(*Plan){
			"local": func(p *Plan) {
				must(RunLocal(t.Context(), p, LocalOptions{Blocks: p.Job().BlocksOf(block)}))(t)
			},
			"engine": func(p *Plan) {
				engine(t, p, 0, p.Job().BlocksOf(block), cluster.Resources{Budget: cluster.NewMemory(1 << 30).Sub()})
			},
		} {
			var out Collected[I]
			p := must(passOn[I]().Bind(input(), out.Output()))(t)
			run(p)
			require.Equal(t, want, must(out.Records())(t), "%s, blocks of %d bytes", name, block)
		}
	}
}

// firstMap is how the error of a job's first map begins.
const firstMap = "m-00000-0: "

// failure returns the error of a job over an input of one split.
func failure[I any](t testing.TB, in Input[I]) error {
	t.Helper()
	err := ran(passOn[I]().Bind(in, unread[I]()))
	require.Error(t, err)
	return err
}

type visit struct {
	Name string `json:"name" csv:"name"`
	N    int64  `json:"n" csv:"n"`
}

func TestJSONLines(t *testing.T) {
	text := []byte("\ufeff{\"name\":\"ann\",\"n\":1,\"more\":[2]}\r\n\n  \n{\"name\":\"\\u0062ob\"}\nnull\n{\"n\":3}")
	want := []visit{{"ann", 1}, {"bob", 0}, {}, {"", 3}}
	requireEverywhere(t, want, func() Input[visit] { return JSONLines[visit](Bytes("v.jsonl", text)) }, 1, 7, 33, 1000)
	for block := range int64(len(text)) {
		got := must(recordsOf(t, JSONLines[visit](Bytes("v.jsonl", text)), tiny(5, 3, 9), block+1))(t)
		require.Equal(t, want, got)
	}
}

func TestJSONLinesNameTheBadLine(t *testing.T) {
	bad := func(line string) error {
		return failure(t, JSONLines[visit](Bytes("v.jsonl", []byte("{\"n\":1}\n"+line+"\n{}\n"))))
	}
	err := bad(`{"n":}`)
	require.EqualError(t, err, firstMap+`v.jsonl: at byte 8, "{\"n\":}": at its byte 6: invalid character '}' looking for beginning of value`)
	e, ok := errors.AsType[*RecordError](err)
	require.True(t, ok)
	require.EqualValues(t, 2, e.Number)
	require.ErrorContains(t, bad(`{"n":"x"}`), `v.jsonl: at byte 8, "{\"n\":\"x\"}": json: cannot unmarshal string`)
	require.ErrorContains(t, bad(`{} {}`), "after top-level value")
}

// A line that cannot be decoded can be skipped, like a record on which the map fails.
func TestBadLinesAreSkipped(t *testing.T) {
	text := []byte("{\"n\":1}\n{\n{\"n\":2}\n{\"n\":3}\n[]\n")
	refuse := MapOnly[visit, visit]{Map: func(v visit, emit func(visit)) error {
		if v.N == 2 {
			return errDisk
		}
		emit(v)
		return nil
	}}
	var out Collected[visit]
	p := must(refuse.Bind(JSONLines[visit](Bytes("v.jsonl", text)), out.Output()))(t)
	c, left := skipping(t, p, true, 3)
	require.Equal(t, []visit{{"", 1}, {"", 3}}, must(out.Records())(t))
	var places []int64
	for _, s := range left {
		places = append(places, s.Offset, s.Number)
	}
	require.Equal(t, []int64{8, 2, 10, 3, 26, 5}, places)
	require.EqualValues(t, 3, c.Get(counter.MapSkippedRecords))
}

func TestDecoded(t *testing.T) {
	number := func(line []byte) (int, error) {
		switch string(line) {
		case "":
			return 0, ErrNoRecord
		case "panic":
			panic("decode")
		}
		return len(line), nil
	}
	text := textOf("a\n\nbb\nccc\n")
	requireEverywhere(t, []int{1, 2, 3}, func() Input[int] { return Decoded(Lines(text), number) }, 1, 3, 100)
	err := failure(t, Decoded(Lines(textOf("a\npanic\n")), number))
	require.ErrorContains(t, err, `text: at byte 2, "panic": panic: decode`)
	twice := func(n int) (int, error) { return 2 * n, nil }
	requireEverywhere(t, []int{2, 4}, func() Input[int] { return Decoded(Slice([]int{1, 2}), twice) }, 1, 2)
	panics := Apply(func(n int) int { return 1 / (n - 4) })
	require.ErrorContains(t, ran(panics.Bind(Decoded(Slice([]int{1, 2}), twice), unread[int]())), "slice: record 2: panic: ")
	_, err = passOn[int]().Bind(Decoded[[]byte, int](Lines(text), nil), unread[int]())
	require.ErrorContains(t, err, "Decoded without a decode function")
}

func TestFilter(t *testing.T) {
	long := func() Input[[]byte] {
		return Lines(textOf("a\n\nbb\nccc\ndd")).Filter(func(line []byte) bool { return len(line) > 1 })
	}
	requireEverywhere(t, []string{"bb", "ccc", "dd"}, func() Input[string] {
		return Decoded(long(), func(line []byte) (string, error) { return string(line), nil })
	}, 1, 3, 100)
	_, err := passOn[[]byte]().Bind(Lines().Filter(nil), unread[[]byte]())
	require.ErrorContains(t, err, "Filter without a function")
}

// The records that are made of one have its place, and a bad record makes none.
func TestFlatMap(t *testing.T) {
	words := func(line []byte, emit func(string)) error {
		for word := range Fields(line) {
			switch emit(string(word)); string(word) {
			case "bad":
				return errDisk
			case "panic":
				panic("split")
			}
		}
		return nil
	}
	text := textOf("a b\n\nc bad d\ne f g\npanic\nh\n")
	requireEverywhere(t, []string{"a", "b", "c", "d"}, func() Input[string] {
		return FlatMap(Lines(textOf("a b\n\nc\n d\n")), words)
	}, 1, 3, 100)
	require.ErrorContains(t, failure(t, FlatMap(Lines(textOf("a\nb panic\n")), words)), `text: at byte 2, "b panic": panic: split`)
	var out Collected[Pair[int64, string]]
	job := MapOnly[string, Pair[int64, string]]{MapTask: func(t *Task) (Filter[string, Pair[int64, string]], error) {
		return Filter[string, Pair[int64, string]]{Map: func(word string, emit func(Pair[int64, string])) error {
			if word == "f" {
				return errDisk
			}
			emit(MakePair(t.Offset(), word))
			return nil
		}}, nil
	}}
	_, left := skipping(t, must(job.Bind(FlatMap(Lines(text), words), out.Output()))(t), true, 3)
	want := []Pair[int64, string]{{0, "a"}, {0, "b"}, {13, "e"}, {13, "g"}, {25, "h"}}
	require.Equal(t, want, must(out.Records())(t))
	var places []int64
	for _, s := range left {
		places = append(places, s.Offset, s.Number)
	}
	require.Equal(t, []int64{5, 3, 13, 5, 19, 7}, places)
	_, err := passOn[int]().Bind(FlatMap[[]byte, int](Lines(text), nil), unread[int]())
	require.ErrorContains(t, err, "FlatMap without a function")
}

// A total order samples an input of Decoded as it samples the lines below it.
func TestDecodedIsSampled(t *testing.T) {
	var text []byte
	for i := range 3000 {
		text = append(text, byte('0'+i*7%10), byte('0'+i*7/10%10), byte('0'+i*7/100%10), '\n')
	}
	in := Decoded(Lines(Bytes("text", text)), func(b []byte) (string, error) { return string(b), nil })
	records := gather(t, SortBy(func(s string) string { return s }).Over(in), false, 1000, 3)
	require.Len(t, records, 3000)
	require.True(t, slices.IsSorted(records))
}

// wordLines is a Format whose parts are the lines of a file after the first; records are words.
type wordLines struct{}

func (wordLines) Parts(_ context.Context, f FormatFile) (at []int64, err error) {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	begin := 0
	for line := range bytes.Lines(text) {
		if begin > 0 {
			at = append(at, int64(begin))
		}
		begin += len(line)
	}
	return at, err
}

func (wordLines) Read(_ context.Context, f FormatFile, from, to int64) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		text, err := io.ReadAll(io.NewSectionReader(f, from, to-from))
		if err != nil {
			yield("", err)
			return
		}
		for word := range Fields(text) {
			if !yield(string(word), nil) {
				return
			}
		}
	}
}

// Formatted reads each part in a map of its own, and all records of all parts. A total order
// samples them, too.
func TestFormattedIsAllParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`([a-d]{0,3} ){0,4}`), 0, 6), 1, 3).Draw(t, "files")
		var sources []Source
		var want []string
		parts := 0
		for i, lines := range files {
			text := strings.Join(append([]string{"head"}, lines...), "\n") + "\n"
			sources = append(sources, Bytes(fmt.Sprint("file", i), []byte(text)))
			parts += len(lines)
			want = append(want, strings.Fields(text)[1:]...)
		}
		in := Formatted(wordLines{}, sources...)
		local, block := rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 50).Draw(t, "block")
		bind := func(out Output[string]) (*Plan, error) {
			p := must(passOn[string]().Bind(in, out))(t)
			require.Len(t, must(p.Splits(context.Background(), p.Job().BlocksOf(block)))(t), parts)
			return p, nil
		}
		require.Equal(t, want, gather(t, bind, local, block, 1))
		slices.Sort(want)
		require.Equal(t, want, gather(t, SortBy(func(s string) string { return s }).Over(in), local, block, 3))
	})
}

// fixedParts is a Format whose Parts returns these offsets and this error.
type fixedParts struct {
	wordLines
	at  []int64
	err error
}

func (f fixedParts) Parts(context.Context, FormatFile) ([]int64, error) { return f.at, f.err }

// Wrong results of a Format, its errors and its panics become errors that name the file.
func TestFormattedIsChecked(t *testing.T) {
	run := func(ctx context.Context, f Format[string], src Source) error {
		p, err := passOn[string]().Bind(Formatted(f, src), unread[string]())
		if err == nil {
			_, err = RunLocal(ctx, p, LocalOptions{})
		}
		return err
	}
	file := Bytes("file", []byte("head\na\nb\n"))
	require.ErrorContains(t, run(t.Context(), nil, file), "without a format")
	require.ErrorContains(t, run(t.Context(), wordLines{}, Stream("pipe", strings.NewReader(""))), "pipe: Formatted reads files at any place")
	for _, at := range [][]int64{{-1}, {3, 3}, {4, 2}, {file.Size()}} {
		require.ErrorContains(t, run(t.Context(), fixedParts{at: at}, file), "file: Parts returned ")
	}
	require.ErrorContains(t, run(t.Context(), fixedParts{err: errDisk}, file), "file: the disk is on fire")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errDisk)
	require.ErrorIs(t, run(ctx, wordLines{}, file), errDisk)
}
