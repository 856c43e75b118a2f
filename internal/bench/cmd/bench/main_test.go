package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	o, err := parse([]string{"-size", "16MiB", "-rounds", "3", "-only", "grep", "-long"})
	require.NoError(t, err)
	require.Equal(t, int64(16<<20), o.size)
	require.Equal(t, 3, o.rounds)
	require.True(t, o.long)
	for _, args := range [][]string{{"-size", "much"}, {"-size", "0"}, {"-size", "2TiB"}, {"-size", "-1MiB"}, {"-rounds", "0"}, {"more"}} {
		_, err := parse(args)
		require.Error(t, err, args)
	}
}

// If programs are missing, their contests fail, and so does the command.
func TestRunTellsOfFailures(t *testing.T) {
	dir := t.TempDir()
	real := dir + "/real.txt"
	require.NoError(t, os.WriteFile(real, []byte("some text\n"), 0o600))
	err := run(context.Background(),
		[]string{
			"-bin", dir, "-dir", dir + "/bench", "-memory", dir, "-real", real, "-size", "1000",
			"-rounds", "1", "-only", "^terasort$",
		})
	require.ErrorContains(t, err, "4 programs failed")
}
