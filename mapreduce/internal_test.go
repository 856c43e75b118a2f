package mapreduce

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// The tests of this file look at limits and searches that no output shows. All others of the
// package use what it exports.

// The small feed of a broadcast join has a maximum size.
func TestSmallFeedIsLimited(t *testing.T) {
	large := &broadcast[int, string]{feed: Keyed(Slice([]string{"12345", "67890"}), func(string) int { return 1 }), maxBytes: 25}
	large.key, _ = codec.Key[int](false)
	large.value, _ = codec.Value[string]()
	err := func() (err error) {
		defer fault.Catch(&err)
		return large.load(t.Context())
	}()
	require.ErrorIs(t, err, ErrRecordTooLarge)
	require.True(t, fault.IsPermanent(err))
}

// A map of TopPerKey never holds more than its limit: when full, it emits and empties its lists.
func TestTopMapHoldsLittle(t *testing.T) {
	keys, err := codec.Key[int](false)
	require.NoError(t, err)
	recs, err := codec.Value[[]byte]()
	require.NoError(t, err)
	m := newTopMap(3, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) }, keys, recs)
	emitted := 0
	for i := range 100_000 {
		m.take(i%5000, make([]byte, 10+i%200), func(int, [][]byte) { emitted++ })
	}
	held := 0
	for key, list := range m.lists {
		held += len(key)
		for _, r := range *list {
			held += len(r)
		}
		require.LessOrEqual(t, len(*list), 3)
	}
	require.Less(t, held, maxTopBytes)
	require.Positive(t, emitted)
	require.GreaterOrEqual(t, m.left, 0)
}

// nth returns element k of any list in sorted order.
func TestNthIsSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{0, 1, 3, 1000}).Draw(t, "most")
		list := rapid.SliceOfN(rapid.IntRange(-most, most), 1, 300).Draw(t, "list")
		if rapid.Bool().Draw(t, "sorted") {
			slices.Sort(list)
		}
		want := slices.Sorted(slices.Values(list))
		k := rapid.IntRange(0, len(list)-1).Draw(t, "k")
		require.Equal(t, want[k], nth(list, k))
		require.Equal(t, want, slices.Sorted(slices.Values(list)), "nothing is lost")
	})
	inf, nan := math.Inf(1), math.NaN()
	for range 20 {
		require.Equal(t, 2.0, nth(slices.Repeat([]float64{inf, nan, 2, -inf, nan}, 10), 35))
		require.True(t, math.IsNaN(nth(slices.Repeat([]float64{inf, nan, 2, -inf, nan}, 10), 19)))
	}
}
