package bench

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Private memory is read from /proc; other systems omit that figure.
func TestMeasureSeesTimeAndMemory(t *testing.T) {
	stdout, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	defer stdout.Close()
	// The variable holds 8 MB and more while the loop takes some milliseconds of processor time.
	text := `x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do x=$x$x; done; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done`
	s, err := measure(context.Background(), Program{Name: "sh", Args: []string{"sh", "-c", text}},
		stdout)
	require.NoError(t, err)
	require.Positive(t, s.Wall)
	require.Positive(t, s.CPU)
	require.Greater(t, s.Private, int64(8<<20))
	require.GreaterOrEqual(t, s.PeakRSS, s.Private)
}
