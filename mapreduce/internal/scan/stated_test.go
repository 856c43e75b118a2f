package scan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestWordsOfLongTexts: white space is found for a whole block at once. A run of white space makes
// no empty words at a block's border, and a consumer that stops gets no more words.
func TestWordsOfLongTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{block - 1, block, block + 1, 2*block - 1, 2 * block, 3*block + 5}).Draw(t, "bytes")
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("  \n\ta\xffz")), n, n).Draw(t, "text")
		want := plainFields(text)
		got := collect(Fields, text)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], latin1(got[i]))
			require.Equal(t, len(got[i]), cap(got[i]), "appending to a word writes into no other")
		}
		most := rapid.IntRange(1, len(want)+1).Draw(t, "most")
		seen := 0
		Fields(text, func([]byte) bool { seen++; return seen < most })
		require.Equal(t, min(most, len(want)), seen)
	})
}
