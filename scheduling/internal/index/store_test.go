package index

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A matrix has the bits that were set and not cleared, however it has grown since.
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

// Values are found by the numbers under which they were added, until they are removed, also at the
// borders of pages.
func TestPages(t *testing.T) {
	var p Pages[int]
	values := make([]int, 2*pageSize)
	require.Nil(t, p.Get(0))
	for i := range values {
		require.Equal(t, i, p.Len())
		p.Add(&values[i])
		require.Nil(t, p.Get(i+1), "not added yet")
	}
	require.Nil(t, p.Get(-1))
	for i := range values {
		require.Same(t, &values[i], p.Get(i))
	}
	for i := range pageSize {
		p.Remove(i)
		require.Nil(t, p.Get(i))
	}
	require.Nil(t, p.pages[0], "a page that is empty is given back")
	require.NotNil(t, p.pages[1])
	p.Remove(pageSize)
	require.Nil(t, p.Get(pageSize))
	p.Set(pageSize, &values[3])
	require.Same(t, &values[3], p.Get(pageSize))
}
