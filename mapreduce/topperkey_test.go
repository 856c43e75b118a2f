package mapreduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
)

// The result is the same if lists exceed the memory of a map, by many keys or by long records.
func TestTopPerKeyOfMany(t *testing.T) {
	for long, keys := range map[int]int{1: 20_000, 3000: 900} {
		var list []joinRecord
		for i := range 6_000_000 / (300 + 2*long) {
			at := i * 7919 % 100_003
			list = append(list, joinRecord{fmt.Sprint(at % keys), strings.Repeat("x", long) + fmt.Sprint(at)})
		}
		in := Slice(slices.Clone(list))
		top := TopPerKey(2, func(r joinRecord) string { return r.Key }, func(a, b joinRecord) int { return cmp.Compare(a.Text, b.Text) })
		got := gather(t, func(out Output[joinRecord]) (*Plan, error) { return top.Bind(in, out) }, true, int64(len(list)), 2)
		want := map[string][]string{}
		for _, r := range list {
			want[r.Key] = append(want[r.Key], r.Text)
		}
		for key, texts := range want {
			slices.Sort(texts)
			slices.Reverse(texts)
			want[key] = texts[:min(len(texts), 2)]
		}
		found := map[string][]string{}
		for _, r := range got {
			found[r.Key] = append(found[r.Key], r.Text)
		}
		require.Equal(t, want, found)
	}
}

// A map stays within its limit: when it is full it emits, and lists do not grow.
func TestTopMapHoldsLittle(t *testing.T) {
	keys := must(codec.Key[int](false, ""))(t)
	recs := must(codec.Value[[]byte]())(t)
	m := newTopMap(3, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) }, keys, recs)
	emitted := 0
	for i := range 100_000 {
		m.take(i%5000, make([]byte, 10+i%200), func(int, [][]byte) { emitted++ })
	}
	held := 0
	for _, l := range m.lists {
		held += len(l.key)
		for _, r := range l.recs {
			held += len(r)
		}
		require.LessOrEqual(t, len(l.recs), 3)
	}
	require.Less(t, held, maxTopBytes)
	require.Positive(t, emitted)
	require.GreaterOrEqual(t, m.left, 0)
}
