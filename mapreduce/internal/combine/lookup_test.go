package combine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestLookupFindsValues: keys of all lengths have the values that a map would have, in order,
// however the table has grown and however many keys are looked up at a time.
func TestLookupFindsValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Lookup[int]
		want := map[string][]int{}
		key := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(0, 300).Draw(t, "n")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return fmt.Sprint(n)
			case 1:
				return strings.Repeat("\x00", n%40)
			case 2:
				return fmt.Sprintf("a long key whose number is %d", n)
			default:
				return fmt.Sprintf("%016d", n) + strings.Repeat("x", n%2)
			}
		})
		batch := NewLookupBatch(&l)
		check := func(keys ...string) {
			for _, k := range keys {
				batch.Add([]byte(k))
			}
			found := batch.Find()
			require.Len(t, found, len(keys))
			for i, k := range keys {
				require.Equal(t, want[k], found[i], "%q", k)
			}
		}
		for v := range rapid.IntRange(0, 500).Draw(t, "values") {
			k := key.Draw(t, "key")
			check(k)
			l.Add([]byte(k), v)
			want[k] = append(want[k], v)
		}
		for keys := range slices.Chunk(slices.Sorted(maps.Keys(want)), LookupBatchSize) {
			check(keys...)
		}
		check(rapid.SliceOfN(key, 0, LookupBatchSize).Draw(t, "asked")...)
		check("none")
	})
}

// TestLookupOfStrings: values whose memory is loaded ahead are found, too.
func TestLookupOfStrings(t *testing.T) {
	var l Lookup[string]
	l.Add([]byte("empty"), "")
	l.Add([]byte("two"), "a")
	l.Add([]byte("two"), "b")
	batch := NewLookupBatch(&l)
	for _, k := range []string{"two", "empty", "none"} {
		batch.Add([]byte(k))
	}
	require.Equal(t, [][]string{{"a", "b"}, {""}, nil}, batch.Find())
}
