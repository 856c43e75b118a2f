package run

import (
	"bytes"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// A total order samples places in each source, in order and without overlap, and at most half of a
// large source. It samples each source that contains one of the equidistant places.
func TestSamplePlacesAreSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &cluster.Bound{}
		for range rapid.IntRange(1, 6).Draw(t, "sources") {
			size := rapid.SampledFrom([]int{0, 1, 2, 63, 64, 65, 1000, 5000, 100_000}).Draw(t, "size")
			p.Sources = append(p.Sources, input.Bytes("s", make([]byte, size)))
			p.Inputs = append(p.Inputs, cluster.InputPlan{Whole: rapid.Bool().Draw(t, "whole")})
		}
		step := max(p.InputBytes()/sampleSplits, 1)
		list, base := samplePlaces(p), int64(0)
		for i, src := range p.Sources {
			for at := (base + step - 1) / step * step; at < base+src.Size(); at += step {
				require.NotEmpty(t, list)
				s := list[0]
				list = list[1:]
				require.Equal(t, i, s.Source)
				if p.Inputs[i].Whole {
					require.Equal(t, cluster.Split{Source: i, Length: src.Size()}, s)
					break // once
				}
				require.Equal(t, at-base, s.Offset, "even distances")
				require.Positive(t, s.Length)
				require.LessOrEqual(t, s.Length, max(step/2, 1))
				require.LessOrEqual(t, s.Offset+s.Length, src.Size())
			}
			base += src.Size()
		}
		require.Empty(t, list)
	})
}

// The table of ranges finds the partition that a search with whole keys finds. Bounds are far
// apart, close, equal, or equal in their first eight bytes.
func TestRangesAreThoseOfASearch(t *testing.T) {
	key := rapid.OneOf(
		rapid.SliceOfN(rapid.Byte(), 0, 12),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte("\x00ab")), 0, 11), func(b []byte) []byte {
			return append([]byte("prefix"), b...)
		}),
		rapid.SampledFrom([][]byte{nil, {0}, {0xff}, bytes.Repeat([]byte{0xff}, 8), bytes.Repeat([]byte{0xff}, 9)}),
	)
	rapid.Check(t, func(t *rapid.T) {
		bounds := rapid.SliceOfN(key, 0, 70).Draw(t, "bounds")
		slices.SortFunc(bounds, bytes.Compare)
		r := newKeyRanges(bounds)
		require.LessOrEqual(t, len(r.starts), rangePlaces+1)
		for _, k := range append(rapid.SliceOfN(key, 1, 50).Draw(t, "keys"), bounds...) {
			want := sort.Search(len(bounds), func(i int) bool { return bytes.Compare(k, bounds[i]) < 0 })
			require.Equal(t, want, r.find(k), "key %q, bounds %q", k, bounds)
		}
	})
}
