package study

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeatMapNeedsARectangle(t *testing.T) {
	f := Figure{Name: "x", Cells: [][]float64{{1, 2}, {3}}}
	_, err := f.svg()
	require.ErrorContains(t, err, "row 1 has 1 cells")
	f.Cells = [][]float64{{1, 1}, {1, 1}}
	_, err = f.svg()
	require.NoError(t, err, "cells all alike")
}
