package mapreduce

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// TestSamplePlacesAreSpread: a total order samples places in each source, in order, without
// overlap, at most half of a large source, and every source that contains one of the equidistant
// places.
func TestSamplePlacesAreSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &cluster.Bound{}
		for range rapid.IntRange(1, 6).Draw(t, "sources") {
			size := rapid.SampledFrom([]int{0, 1, 2, 63, 64, 65, 1000, 5000, 100_000}).Draw(t, "size")
			p.Sources = append(p.Sources, Bytes("s", make([]byte, size)))
			p.Inputs = append(p.Inputs, cluster.InputPlan{Whole: rapid.Bool().Draw(t, "whole")})
		}
		total := p.InputBytes()
		step := max(total/sampleSplits, 1)
		list := samplePlaces(p)
		base, next := int64(0), int64(0)
		for i, src := range p.Sources {
			end := int64(0)
			seen := false
			for ; len(list) > 0 && list[0].Source == i; list = list[1:] {
				s := list[0]
				require.GreaterOrEqual(t, s.Offset, end, "bytes that were sampled")
				end = s.Offset + s.Length
				require.LessOrEqual(t, end, src.Size())
				if p.Inputs[i].Whole {
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
			if p.Inputs[i].Whole {
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

// TestReducesOfAPlan: the number of reduces is the job's, or the cluster's, or one; unknown sizes
// count as 0.
func TestReducesOfAPlan(t *testing.T) {
	for _, c := range []struct{ asked, offered, want int }{{0, 0, 1}, {0, -1, 1}, {0, 3, 3}, {2, 0, 2}, {2, 5, 2}, {1, 5, 1}} {
		j := wordCount(true)
		j.Reducers = c.asked
		var out Collected[Pair[string, int64]]
		p, err := j.Bind(Lines(Bytes("a", []byte("a\n")), Stream("-", strings.NewReader("b\n")), Bytes("c", []byte("cc\n"))), out.Output())
		require.NoError(t, err)
		require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{Reduces: c.offered}))
		require.Equal(t, c.want, p.Reduces(), "%+v", c)
		require.Equal(t, int64(5), p.InputBytes())
	}
	p := must(keepLines().Bind(Lines(Bytes("a", []byte("a\n"))), unread[[]byte]()))(t)
	require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{Reduces: 4}))
	require.Zero(t, p.Reduces())
}
