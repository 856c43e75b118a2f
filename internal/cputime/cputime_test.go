package cputime

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Used grows while this process computes.
func TestUsedGrows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not known here")
	}
	before := Used()
	require.Positive(t, before)
	require.Eventually(t, func() bool {
		for i := range 1_000_000 {
			runtime.KeepAlive(i)
		}
		return Used() > before
	}, 1<<40, 1)
}
