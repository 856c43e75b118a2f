package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever the text of a batch file: no panic, and an error is one line with its place.
func FuzzReadBatch(f *testing.F) {
	f.Add("wordcount 'a b' -o out\nat 2s sort x -o y # later\n")
	f.Add("at 1e308s \\")
	f.Add("grep \"\\\" -o")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readBatch("jobs.txt", strings.NewReader(text))
		if err != nil {
			require.Contains(t, err.Error(), "jobs.txt:")
			require.NotContains(t, oneLine(err), "\n")
			return
		}
		require.NotEmpty(t, list)
	})
}

// A batch file that is not one is refused in a short line with its place.
func TestHostileBatchFiles(t *testing.T) {
	for want, text := range map[string]string{
		"jobs.txt:2: a line of more than 65536 bytes": "\n" + strings.Repeat("x", 100_000),
		"jobs.txt:1: at 1e300h":                       "at 1e300h wordcount a -o b",
	} {
		_, err := readBatch("jobs.txt", strings.NewReader(text))
		require.ErrorContains(t, err, want)
		require.Less(t, len(err.Error()), 300)
	}
	list, err := readBatch("jobs.txt", strings.NewReader("\ufeffwordcount a -o b"))
	require.NoError(t, err)
	require.Len(t, list, 1)
}
