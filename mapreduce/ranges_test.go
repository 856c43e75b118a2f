package mapreduce

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// TestRangesAreThoseOfASearch compares the table with a search through whole keys, for
// bounds far apart, close together, equal, and equal in their first eight bytes.
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

// BenchmarkPartition chooses a key's reduce among 16, by hash and by range, for random keys and for
// keys with equal first eight bytes.
func BenchmarkPartition(b *testing.B) {
	const reduces, n = 16, 1 << 16
	rng := rand.New(rand.NewPCG(1, 2))
	random, alike := make([][]byte, n), make([][]byte, n)
	for i := range n {
		random[i] = binary.BigEndian.AppendUint64(nil, rng.Uint64())
		random[i] = append(random[i], byte(i), byte(i>>8))
		alike[i] = fmt.Appendf(nil, "www.example.org/%d", rng.IntN(1<<30))
	}
	run := func(name string, keys [][]byte, find func([]byte) int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			sum, i := 0, 0
			for b.Loop() {
				sum += find(keys[i%n])
				i++
			}
			require.Less(b, sum, i*reduces)
		})
	}
	ranges := func(keys [][]byte) func([]byte) int {
		return new(boundJob).quantiles(slices.Clone(keys[:4096]), reduces).find
	}
	run("hash", random, func(k []byte) int { return segment.PartitionOf(k, reduces) })
	run("range", random, ranges(random))
	run("range/alike", alike, ranges(alike))
}
