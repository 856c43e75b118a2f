package index

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A BitMatrix has the bits that were set and not cleared, even if it has grown since.
func TestBitMatrixAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m BitMatrix
		want := map[[2]int32]bool{}
		rows, columns := rapid.Int32Range(0, 9), rapid.Int32Range(0, 200)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			at := [2]int32{rows.Draw(t, "row"), columns.Draw(t, "column")}
			m.Widen(at[1])
			if rapid.Bool().Draw(t, "set") {
				m.Set(at[0], at[1])
				want[at] = true
			} else {
				m.Clear(at[0], at[1])
				delete(want, at)
			}
		}
		for row := range int32(12) {
			for column := range int32(64 * m.stride) {
				require.Equal(t, want[[2]int32{row, column}], m.Has(row, column))
			}
		}
	})
}
