package mapreduce_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// The number of reduces is the job's, otherwise the cluster's, otherwise 1. A source of unknown
// size counts as 0 bytes of input.
func TestReducesOfAPlan(t *testing.T) {
	for _, c := range []struct{ asked, offered, want int }{{0, 0, 1}, {0, -1, 1}, {0, 3, 3}, {2, 0, 2}, {2, 5, 2}, {1, 5, 1}} {
		j := wordCount(true)
		j.Reducers = c.asked
		in := Lines(Bytes("a", []byte("a\n")), Stream("-", strings.NewReader("b\n")), Bytes("c", []byte("cc\n")))
		p := must(j.Bind(in, unread[Pair[string, int64]]()))(t)
		require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{Reduces: c.offered}))
		require.Equal(t, c.want, p.Job().Reduces, "%+v", c)
		require.Equal(t, int64(5), p.Job().InputBytes())
	}
	p := must(keepLines().Bind(Lines(Bytes("a", []byte("a\n"))), unread[[]byte]()))(t)
	require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{Reduces: 4}))
	require.Zero(t, p.Job().Reduces)
}

// With SplitSize n, splits have at most n bytes for any block size, and each record is read once.
func TestSplitSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Repeat([]byte("some line\n"), rapid.IntRange(0, 20).Draw(t, "lines"))
		size, block := rapid.Int64Range(1, 100).Draw(t, "size"), rapid.Int64Range(1, 300).Draw(t, "block")
		bind := keepLines().Over(Lines(Bytes("text", text)).SplitSize(size))
		p := must(bind(unread[[]byte]()))(t)
		for _, s := range must(p.Splits(context.Background(), p.Job().BlocksOf(block)))(t) {
			require.LessOrEqual(t, s.Length, size)
		}
		got := gather(t, bind, false, block, 0)
		require.Equal(t, string(text), string(bytes.Join(append(got, nil), []byte("\n"))))
	})
}

// JoinSmall joins small files only up to the input's SplitSize.
func TestSplitSizeJoinsNoMore(t *testing.T) {
	var sources []Source
	for range 8 {
		sources = append(sources, Bytes("small", []byte("line\n")))
	}
	for size, want := range map[int64]int{perFile + 5: 8, 2 * (perFile + 5): 4, 1 << 30: 1} {
		p := must(keepLines().Bind(Lines(sources...).SplitSize(size), unread[[]byte]()))(t)
		require.Len(t, p.Job().JoinSmall(must(p.Splits(context.Background(), nil))(t), 1<<20), want, size)
	}
}

// Bind rejects a SplitSize that would have no effect, or is not positive.
func TestSplitSizeWithoutEffect(t *testing.T) {
	text := textOf("a\n")
	for want, in := range map[string]Input[[]byte]{
		"SplitSize has no effect": NLines(3, text).SplitSize(10),
		"SplitSize of 0":          Lines(text).SplitSize(0),
		"SplitSize of -1":         Lines(text).SplitSize(-1),
	} {
		require.ErrorContains(t, errorOf(keepLines().Bind(in, unread[[]byte]())), want)
	}
}

// perFile is the number of bytes that JoinSmall adds to each file's size.
const perFile = 16 << 10

// filesJob returns a job that writes each line with its file and number, and each file's end.
func filesJob() MapOnly[[]byte, string] {
	return MapOnly[[]byte, string]{MapTask: func(t *Task) (Filter[[]byte, string], error) {
		n := 0
		return Filter[[]byte, string]{
			Map: func(line []byte, emit func(string)) error {
				n++
				emit(fmt.Sprintf("%s %d %s", t.InputName(), n, line))
				return nil
			},
			Close: func(emit func(string)) error { emit(t.InputName() + " ends"); return nil },
		}, nil
	}}
}

// mapAll runs the maps of a job over the splits that cut returns, and returns its output.
func mapAll(t *rapid.T, sources []Source, cut func(p *Plan) []cluster.Split) (out string, splits []cluster.Split, c *counter.Set) {
	var b bytes.Buffer
	p := must(filesJob().Bind(Lines(sources...), Text[string](Writer("out", &b))))(t)
	begun(t, p, nil)
	splits, c = cut(p), new(counter.Set)
	for i, s := range splits {
		a := &cluster.MapAttempt{Index: i, Split: s, Resources: cluster.Resources{Counters: c}}
		must(p.RunMap(context.Background(), a))(t)
		require.NoError(t, p.Job().CommitTask(a.ID()))
	}
	require.NoError(t, p.CommitJob())
	return b.String(), splits, c
}

// SplitSize(1) gives each of a few records of a Slice a map of its own.
func TestFewSlowRecordsAreManyMaps(t *testing.T) {
	p := must(passOn[int]().Bind(Slice(make([]int, 40)).SplitSize(1), unread[int]()))(t)
	require.Len(t, must(p.Splits(context.Background(), nil))(t), 40)
}

// With splits joined by JoinSmall, a job writes the same as with separate ones. No split is too
// large, has files of different nodes, or would have room for the next one.
func TestJoinSmall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`([a-z ]{0,9}\n){0,4}[a-z]{0,3}`), 1, 30).Draw(t, "texts")
		sources := func() (list []Source) {
			for i, text := range texts {
				list = append(list, Bytes(fmt.Sprint("f", i), []byte(text)))
			}
			return list
		}
		hosts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), len(texts), len(texts)).Draw(t, "hosts")
		block := int64(rapid.IntRange(1, 60).Draw(t, "block"))
		limit := int64(rapid.IntRange(1, 10*perFile).Draw(t, "limit"))
		cut := func(p *Plan) []cluster.Split {
			return must(p.Splits(context.Background(), func(i int) []cluster.Block {
				list := p.Job().BlocksOf(block)(i)
				for k := range list {
					list[k].Hosts = []string{hosts[i]}
				}
				return list
			}))(t)
		}
		alone, single, before := mapAll(t, sources(), cut)
		joined, fewer, after := mapAll(t, sources(), func(p *Plan) []cluster.Split { return p.Job().JoinSmall(cut(p), limit) })
		require.Equal(t, alone, joined)
		require.Equal(t, before.Get(counter.MapInputRecords), after.Get(counter.MapInputRecords))
		require.Equal(t, before.Get(counter.InputBytesRead), after.Get(counter.InputBytesRead))

		files, cost := 0, func(s cluster.Split) int64 { return s.Length + perFile*int64(max(1, s.Files)) }
		for i, s := range fewer {
			files += max(1, s.Files)
			require.True(t, s.Files <= 1 || cost(s) <= limit)
			if i > 0 && fewer[i-1].Files > 0 && s.Files > 0 && slices.Equal(fewer[i-1].Hosts, s.Hosts) {
				first := int64(len(texts[s.Source])) + perFile
				require.Greater(t, cost(fewer[i-1])+first, limit, "split %d could have taken the next file in", i-1)
			}
		}
		require.Equal(t, len(single), files)
	})
}

// The ranges of a total order have only prefixes of long keys, and still divide the keys evenly.
func TestSampleOfLongKeys(t *testing.T) {
	var text []byte
	for i := range 200 {
		text = append(append(text, byte('a'+i%20)), bytes.Repeat([]byte("x"), 100_000)...)
		text = append(text, '\n')
	}
	p := must(sorting[[]byte](4).Bind(Lines(Bytes("lines", text)), Text[Pair[[]byte, None]](Dir(t.TempDir()+"/out"))))(t)
	begun(t, p, nil)
	ranges := must(p.Job().Layout(nil))(t).Ranges
	require.NoError(t, p.AbortJob())
	for _, bound := range ranges {
		require.LessOrEqual(t, len(bound), 4<<10)
	}
	var parts [4]int
	for line := range bytes.Lines(text) {
		parts[sort.Search(len(ranges), func(i int) bool { return bytes.Compare(line, ranges[i]) < 0 })]++
	}
	for _, n := range parts {
		require.InDelta(t, 50, n, 20)
	}
}
