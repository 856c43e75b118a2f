package mapreduce

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPiecesAreEven states what SplitSize promises: the pieces of a block cover it, none is larger
// than asked, there are no more than that takes, and their sizes differ by one byte at most.
func TestPiecesAreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 50).Draw(t, "size")
		var blocks []Block
		at := rapid.Int64Range(0, 9).Draw(t, "from")
		for i := range rapid.IntRange(1, 4).Draw(t, "blocks") {
			n := rapid.Int64Range(0, 200).Draw(t, "length")
			blocks = append(blocks, Block{Offset: at, Length: n, Hosts: []string{fmt.Sprint("node", i)}})
			at += n
		}
		list := inputPlan{size: size}.pieces(blocks)
		for _, b := range blocks {
			n := max((b.Length+size-1)/size, 1)
			require.GreaterOrEqual(t, int64(len(list)), n)
			from := b.Offset
			for _, p := range list[:n] {
				require.Equal(t, from, p.Offset)
				require.Contains(t, []int64{b.Length / n, b.Length/n + 1}, p.Length)
				require.LessOrEqual(t, p.Length, size)
				require.Equal(t, b.Hosts, p.Hosts)
				from += p.Length
			}
			require.Equal(t, b.Offset+b.Length, from)
			list = list[n:]
		}
		require.Empty(t, list)
		require.Equal(t, blocks, inputPlan{}.pieces(blocks))
	})
}

// TestSamplePlacesAreSpread states where a total order looks at its input: within each source, in
// order, no byte twice, at no more than half of it where it is large, and at each source that has a
// place of its own among those at even distances.
func TestSamplePlacesAreSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Plan{}
		for range rapid.IntRange(1, 6).Draw(t, "sources") {
			size := rapid.SampledFrom([]int{0, 1, 2, 63, 64, 65, 1000, 5000, 100_000}).Draw(t, "size")
			p.sources = append(p.sources, Bytes("s", make([]byte, size)))
			p.inputs = append(p.inputs, inputPlan{whole: rapid.Bool().Draw(t, "whole")})
		}
		total := p.InputBytes()
		step := max(total/sampleSplits, 1)
		list := samplePlaces(&p.bound)
		base, next := int64(0), int64(0)
		for i, src := range p.sources {
			end := int64(0)
			seen := false
			for ; len(list) > 0 && list[0].Source == i; list = list[1:] {
				s := list[0]
				require.GreaterOrEqual(t, s.Offset, end, "bytes that were sampled")
				end = s.Offset + s.Length
				require.LessOrEqual(t, end, src.Size())
				if p.inputs[i].whole {
					require.False(t, seen, "a whole source once")
					require.Equal(t, src.Size(), s.Length)
				} else {
					require.Equal(t, next, base+s.Offset, "even distances")
					require.LessOrEqual(t, s.Length, max(step/2, 1))
					require.Positive(t, s.Length)
					next += step
				}
				seen = true
			}
			due := next < base+src.Size()
			if p.inputs[i].whole {
				require.Equal(t, due, seen, "source %d of %d bytes", i, src.Size())
			} else {
				require.False(t, due, "source %d of %d bytes", i, src.Size())
			}
			for base += src.Size(); next < base; {
				next += step
			}
		}
		require.Empty(t, list)
	})
}

// TestEndsOfRecords states what all kinds of ends have in common: first finds the end of the record
// in which a byte lies, and last that of the last record that is whole.
func TestEndsOfRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b, whole []byte
		var ends []int // of records
		var kind recordEnds
		switch n := rapid.IntRange(1, 5).Draw(t, "n"); rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			kind = everyN(n)
			b = make([]byte, rapid.IntRange(0, 20).Draw(t, "bytes"))
			for at := n; at <= len(b); at += n {
				ends = append(ends, at)
			}
		case 1:
			kind = lineEnds{}
			b = []byte(rapid.StringMatching("[a\n]{0,12}").Draw(t, "text"))
			ends = placesOf(b, '\n')
		default:
			kind = byteEnds(0x1e)
			b = []byte(rapid.StringMatching("[a\x1e\n]{0,12}").Draw(t, "text"))
			ends = placesOf(b, 0x1e)
		}
		last := 0
		if len(ends) > 0 {
			last = ends[len(ends)-1]
		}
		whole = b[:last]
		require.Equal(t, last, kind.last(b))
		require.Equal(t, last, kind.last(whole))
		for from := range b {
			want := 0
			for _, end := range ends {
				if end > from {
					want = end
					break
				}
			}
			require.Equal(t, want, kind.first(b, from), "from %d", from)
			if want == 0 {
				require.LessOrEqual(t, kind.resume(len(b)), len(b))
			}
		}
	})
}

// placesOf are the places behind each c.
func placesOf(b []byte, c byte) (list []int) {
	for i, x := range b {
		if x == c {
			list = append(list, i+1)
		}
	}
	return list
}

// TestReducesOfAPlan states who says how many reduces a plan has: the job itself, then the cluster,
// else it is one; and that unknown sizes count as nothing.
func TestReducesOfAPlan(t *testing.T) {
	for _, c := range []struct{ asked, offered, want int }{{0, 0, 1}, {0, -1, 1}, {0, 3, 3}, {2, 0, 2}, {2, 5, 2}, {1, 5, 1}} {
		j := wordCount(true)
		j.Reducers = c.asked
		var out Collected[Pair[string, int64]]
		p, err := j.Bind(Lines(Bytes("a", []byte("a\n")), Stream("-", strings.NewReader("b\n")), Bytes("c", []byte("cc\n"))), out.Output())
		require.NoError(t, err)
		require.NoError(t, p.Prepare(t.Context(), PrepareOptions{Reduces: c.offered}))
		require.Equal(t, c.want, p.Reduces(), "%+v", c)
		require.Equal(t, int64(5), p.InputBytes())
	}
	p, err := keepLines().Bind(Lines(Bytes("a", []byte("a\n"))), new(Collected[[]byte]).Output())
	require.NoError(t, err)
	require.NoError(t, p.Prepare(t.Context(), PrepareOptions{Reduces: 4}))
	require.Zero(t, p.Reduces())
}

// TestSkippedRecordsHaveAnOrder states it: by source, then by place, then by number.
func TestSkippedRecordsHaveAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(t *rapid.T) Skipped {
			return Skipped{
				Input:  rapid.SampledFrom([]string{"a", "b"}).Draw(t, "input"),
				Offset: rapid.Int64Range(-1, 2).Draw(t, "offset"), Number: rapid.Int64Range(1, 3).Draw(t, "number"),
			}
		}
		list := rapid.SliceOfN(rapid.Custom(draw), 0, 12).Draw(t, "list")
		SortSkipped(list)
		for i := 1; i < len(list); i++ {
			a, b := list[i-1], list[i]
			switch {
			case a.Input != b.Input:
				require.Less(t, a.Input, b.Input)
			case a.Offset != b.Offset:
				require.Less(t, a.Offset, b.Offset)
			default:
				require.LessOrEqual(t, a.Number, b.Number)
			}
		}
	})
}
