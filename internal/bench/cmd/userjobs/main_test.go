package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJobsOfUsers(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	require.NoError(t,
		os.WriteFile(in, []byte("to be \tor\nnot  to be\n\nShakespeare to\r\n"), 0o600))
	for job, want := range map[string][]string{
		"wordcount": {"Shakespeare\t1", "be\t2", "not\t1", "or\t1", "to\t3"},
		"grep":      {"Shakespeare to\r"},
	} {
		out := filepath.Join(dir, job)
		require.NoError(t, run(context.Background(), []string{job, in, out}))
		require.Equal(t, want, linesOf(t, out))
	}
	require.ErrorIs(t, run(context.Background(), []string{"wordcount", in}), errUsage)
	require.ErrorIs(t, run(context.Background(), []string{"sing", in, dir}), errUsage)
}

// linesOf returns the lines of a directory's part files, sorted.
func linesOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	var lines []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines = append(lines, strings.SplitAfter(string(text), "\n")...)
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\n")
	}
	slices.Sort(lines)
	return lines
}
