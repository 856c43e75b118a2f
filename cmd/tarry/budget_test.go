//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
)

// TestMemoryStaysWithinTheBudget states that a process has no more memory resident than
// --memory and 150 MiB: with many distinct keys, with lines of megabytes, and with many
// reduces. It is one of the long tests, which run without the race detector's memory.
func TestMemoryStaysWithinTheBudget(t *testing.T) {
	if os.Getenv("TARRY_LONG") == "" {
		t.Skip("a long test: TARRY_LONG=1")
	}
	const size, slack = 256 << 20, 150 << 20
	dir := t.TempDir()
	generated := func(kind gen.Kind) string {
		path := filepath.Join(dir, string(kind))
		require.NoError(t, gen.WriteFile(context.Background(), path, gen.Config{Kind: kind, Bytes: size, Seed: 1}, false))
		return path
	}
	lines, tera, long := generated(gen.Lines), generated(gen.Tera), filepath.Join(dir, "long")
	writeLongLines(t, long, size)
	for _, budget := range []int64{64 << 20, 128 << 20} {
		for _, job := range [][]string{
			{"wordcount", lines}, {"sort", long}, {"terasort", tera}, {"terasort", tera, "--reduces", "512"},
		} {
			out := filepath.Join(dir, "out")
			args := append([]string{"run"}, job...)
			args = append(args, "-q", "-o", out, "--spill-dir", dir, "--memory", fmt.Sprint(budget), "--map-slots", "2", "--reduce-slots", "2")
			cmd := exec.Command("tarry", args...)
			text, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", text)
			peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("%d MiB: %v: peak %d MiB", budget>>20, job, peak>>20)
			require.LessOrEqual(t, peak, budget+slack, "%v", job)
			require.NoError(t, os.RemoveAll(out))
			left, err := filepath.Glob(filepath.Join(dir, "spill-*"))
			require.NoError(t, err)
			require.Empty(t, left)
		}
	}
}

// writeLongLines writes lines of 100 bytes to 8 MiB.
func writeLongLines(t *testing.T, path string, size int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(1, 1))
	for size > 0 {
		n := []int{100, 5000, 200_000, 1 << 20, 8 << 20}[rng.IntN(5)]
		for range n / 5 {
			_, err = fmt.Fprintf(w, "%05d", rng.IntN(100_000))
			require.NoError(t, err)
		}
		require.NoError(t, w.WriteByte('\n'))
		size -= n + 1
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
}
