package combine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestLookupFindsValues: keys of all lengths have the values that a map would have, in order,
// however the table has grown.
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
		for v := range rapid.IntRange(0, 500).Draw(t, "values") {
			k := key.Draw(t, "key")
			require.Equal(t, want[k], l.Find([]byte(k)), "%q", k)
			l.Add([]byte(k), v)
			want[k] = append(want[k], v)
		}
		for k, values := range want {
			require.Equal(t, values, l.Find([]byte(k)), "%q", k)
		}
		require.Nil(t, l.Find([]byte("none")))
	})
}

// TestFindingAheadIsFindingOneByOne: a batch finds the same values as single lookups.
func TestFindingAheadIsFindingOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Custom(func(t *rapid.T) []byte {
			return []byte(strings.Repeat("k", rapid.IntRange(0, 40).Draw(t, "length")) + fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "n")))
		})
		var l Lookup[string]
		for v := range rapid.IntRange(0, 100).Draw(t, "values") {
			l.Add(key.Draw(t, "key"), fmt.Sprint(v)[1:])
		}
		ahead := NewLookupBatch(&l)
		for range 3 {
			asked := rapid.SliceOfN(key, 0, LookupBatchSize).Draw(t, "asked")
			for i, k := range asked {
				require.Equal(t, i < LookupBatchSize-1, ahead.Add(k), "room")
			}
			found := ahead.Find()
			require.Len(t, found, len(asked))
			for i, k := range asked {
				require.Equal(t, l.Find(k), found[i], "%q", k)
			}
		}
	})
}
