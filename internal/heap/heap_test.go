package heap

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A heap yields its values in order, for any mix of pushes, pops and changes of the first value.
func TestOrder(t *testing.T) {
	before := func(a, b *int) bool { return *a < *b }
	rapid.Check(t, func(t *rapid.T) {
		var h, want []int
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch v := rapid.IntRange(0, 20).Draw(t, "value"); {
			case len(h) == 0 || v < 12:
				h, want = Push(h, v, before), append(want, v)
			case v < 16:
				h[0], want[0] = h[0]+v, want[0]+v
				Down(h, before)
			default:
				h, want = Pop(h, before), want[1:]
			}
			slices.Sort(want)
			if len(want) > 0 {
				require.Equal(t, want[0], h[0])
			}
			require.Len(t, h, len(want))
		}
	})
}
