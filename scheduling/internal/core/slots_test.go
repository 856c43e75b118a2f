package core

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// An attempt gets the lowest free slot number, and no number is in use twice.
func TestSlotNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s slotNumbers
		held := map[int32]int32{} // count by first
		var order []int32
		taken := func(at int32) bool {
			for first, count := range held {
				if at >= first && at < first+count {
					return true
				}
			}
			return false
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if len(order) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
				s.free(order[i], held[order[i]])
				delete(held, order[i])
				order = append(order[:i], order[i+1:]...)
				continue
			}
			count := rapid.Int32Range(1, 3).Draw(t, "count")
			want := int32(1)
			for run := int32(0); run < count; {
				if taken(want + run) {
					want, run = want+run+1, 0
					continue
				}
				run++
			}
			got := s.take(count)
			require.Equal(t, want, got)
			held[got] = count
			order = append(order, got)
		}
	})
}
