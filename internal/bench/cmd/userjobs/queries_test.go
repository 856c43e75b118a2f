package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/bench"
)

// The queries return, for a few rows, what a reader of the rows expects.
func TestQueries(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, rows ...string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600))
		return path
	}
	orders := file("orders", "7\t100", "8\t50", "7\t20", "9\t1")
	users := file("users", "7\tHome", "9\tAway", "10\tNowhere")
	for _, job := range []string{bench.HashJoin, bench.SortMergeJoin} {
		out := filepath.Join(dir, job)
		require.NoError(t, run(t.Context(), []string{job, orders, users, out}))
		require.Equal(t, []string{"7\tHome\t100", "7\tHome\t20", "9\tAway\t1"}, linesOf(t, out))
	}
	var rows []string
	var top []string
	for i := range 40 {
		rows = append(rows, fmt.Sprintf("g1\t%d\t%d", i%3, i), "g2\t5\t6")
		if i >= 30 {
			top = append(top, fmt.Sprintf("g1\t%d", i), "g2\t6")
		}
	}
	slices.Sort(top)
	sales := file("sales", rows...)
	for job, want := range map[string][]string{
		bench.DistinctItems: {"g1\t3", "g2\t1"},
		bench.TopAmounts:    top,
		bench.HighAmounts:   {"g1\t37", "g2\t6"},
	} {
		out := filepath.Join(dir, job)
		require.NoError(t, run(t.Context(), []string{job, sales, out}))
		require.Equal(t, want, linesOf(t, out), job)
	}
	require.ErrorIs(t, run(t.Context(), []string{"sing", orders, users, dir}), errUsage)
}
