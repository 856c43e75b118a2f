package mapreduce

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// TestSplitSize: splits have at most n bytes, for all block sizes, and each record is read once.
func TestSplitSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Repeat([]byte("some line\n"), rapid.IntRange(0, 20).Draw(t, "lines"))
		size := rapid.Int64Range(1, 100).Draw(t, "size")
		block := rapid.Int64Range(1, 300).Draw(t, "block")
		var out Collected[[]byte]
		p := must(keepLines().Bind(Lines(Bytes("text", text)).SplitSize(size), out.Output()))(t)
		splits := must(p.Splits(context.Background(), p.BlocksOf(block)))(t)
		at := int64(0)
		for _, s := range splits {
			require.LessOrEqual(t, s.Length, size)
			require.Equal(t, at, s.Offset)
			at += s.Length
		}
		require.EqualValues(t, len(text), at)
		engine(t, p, 0, p.BlocksOf(block), cluster.Resources{})
		records := must(out.Records())(t)
		require.Equal(t, string(text), string(bytes.Join(append(records, nil), []byte("\n"))))
	})
}

// TestFewSlowRecordsAreManyMaps: SplitSize makes many maps of a few records.
func TestFewSlowRecordsAreManyMaps(t *testing.T) {
	p := must(MapOnly[int, int]{Map: func(n int, emit func(int)) error { emit(n); return nil }}.
		Bind(Slice(make([]int, 40)).SplitSize(1), unread[int]()))(t)
	require.Len(t, must(p.Splits(context.Background(), nil))(t), 40)
}

// TestSplitSizeJoinsNoMore: small files are joined only up to SplitSize.
func TestSplitSizeJoinsNoMore(t *testing.T) {
	var sources []Source
	for range 8 {
		sources = append(sources, Bytes("small", []byte("line\n")))
	}
	for size, want := range map[int64]int{perFile + 5: 8, 2 * (perFile + 5): 4, 1 << 30: 1} {
		p := must(keepLines().Bind(Lines(sources...).SplitSize(size), unread[[]byte]()))(t)
		require.Len(t, p.JoinSmall(must(p.Splits(context.Background(), nil))(t), 1<<20), want, size)
	}
}

// TestSplitSizeWithoutEffect: Bind rejects SplitSize where it has no effect.
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
