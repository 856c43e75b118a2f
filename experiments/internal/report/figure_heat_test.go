package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeatMapNeedsARectangle(t *testing.T) {
	f := Figure{Name: "x", Cells: [][]float64{{1, 2}, {3}}}
	require.ErrorContains(t, f.save(t.TempDir()), "row 1 has 1 cells")
	f.Cells = [][]float64{{1, 1}, {1, 1}}
	require.NoError(t, f.save(t.TempDir()), "cells all alike")
}
