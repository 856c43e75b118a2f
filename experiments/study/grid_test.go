package study

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGrid(t *testing.T) {
	require.Equal(t, [][]float64{{1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}},
		Grid([]float64{1, 2}, []float64{3, 4, 5}))
	require.Empty(t, Grid([]float64{1, 2}, nil))
}

// Vary applies one choice at a time; a quick run takes only the first ones.
func TestVary(t *testing.T) {
	list := []Choice[[2]int]{
		{Name: "as above"}, {"first", func(x *[2]int) { x[0] = 5 }}, {"second", func(x *[2]int) { x[1] = 7 }},
	}
	for _, quick := range []bool{false, true} {
		s := &Study{Options: Options{Quick: quick}}
		table := &Table{}
		Vary(s, table, 2, [2]int{1, 2}, list, func(x [2]int) []float64 {
			return []float64{float64(x[0]), float64(x[1])}
		})
		want := []Line{{"as above", []float64{1, 2}}, {"first", []float64{5, 2}}, {"second", []float64{1, 7}}}
		require.Equal(t, want[:Pick(s, 2, 3)], table.Lines)
	}
}
