//go:build linux && !race

// The race detector takes memory of its own.

package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
)

// TestMemoryStaysWithinTheBudget states that the private memory of a process is at most
// --memory and 40 MiB, whatever the job, its reduces, slots, files and compression. It is
// one of the long tests, which run without the race detector's memory. The heap is left to
// grow as far as the program itself lets it, so that nothing depends on when the collector
// happened to run.
func TestMemoryStaysWithinTheBudget(t *testing.T) {
	if os.Getenv("LONG_TESTS") == "" {
		t.Skip("a long test: LONG_TESTS=1")
	}
	const size, slack = 128 << 20, 40 << 20
	dir := t.TempDir()
	generated := func(kind gen.Kind) string {
		path := filepath.Join(dir, string(kind))
		c := gen.Config{Kind: kind, Bytes: size, Seed: 1}
		require.NoError(t, gen.WriteFile(context.Background(), path, c, false))
		return path
	}
	lines, tera, text := generated(gen.Lines), generated(gen.Tera), generated(gen.Text)
	pairs, long, many := generated(gen.Pairs), filepath.Join(dir, "long"), filepath.Join(dir, "many")
	writeLongLines(t, long, size)
	writeManyFiles(t, many, 40_000)
	wide := []string{"--reduces", "500", "--map-slots", "64"}
	for _, budget := range []int64{64 << 20, 128 << 20, 512 << 20} {
		for _, job := range [][]string{
			{"wordcount", lines},
			append([]string{"wordcount", lines}, wide...),
			{"sort", long},
			append([]string{"sort", text}, wide...),
			{"sort", text, "--compress", "gzip"},
			{"terasort", tera, "--reduces", "500"},
			{"terasort", tera, "--compress", "zstd", "--reduces", "64", "--reduce-slots", "64"},
			{"index", text},
			{"index", many},
			append([]string{"index", text}, wide...),
			{"grep", "a", lines, "--compress", "zstd", "--map-slots", "64"},
			append([]string{"mean", pairs}, wide...),
			{"top", pairs, "--map-slots", "64"},
		} {
			name := strings.ReplaceAll(strings.Join(job, " "), dir+string(filepath.Separator), "")
			t.Run(fmt.Sprint(budget>>20, " MiB ", name), func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out")
				args := append([]string{"run"}, job...)
				args = append(args, "-q", "-o", out, "--spill-dir", dir, "--memory", fmt.Sprint(budget))
				private := runWatched(t, args, "GOGC=off")
				t.Logf("private %d MiB", private>>20)
				require.LessOrEqual(t, private, budget+slack, "%v", job)
				left, err := filepath.Glob(filepath.Join(dir, "spill-*"))
				require.NoError(t, err)
				require.Empty(t, left)
			})
		}
	}
}

// TestMemoryStaysWithinASmallBudget is the short form of TestMemoryStaysWithinTheBudget: jobs
// of a second each whose input is twice what they may have.
func TestMemoryStaysWithinASmallBudget(t *testing.T) {
	const budget, slack = 8 << 20, 40 << 20
	dir := t.TempDir()
	lines, long, many := filepath.Join(dir, "lines"), filepath.Join(dir, "long"), filepath.Join(dir, "many")
	c := gen.Config{Kind: gen.Lines, Bytes: 16 << 20, Seed: 1}
	require.NoError(t, gen.WriteFile(context.Background(), lines, c, false))
	writeLongLines(t, long, 48<<20)
	writeManyFiles(t, many, 4000)
	for _, job := range [][]string{
		{"wordcount", lines, "--reduces", "100", "--map-slots", "16"},
		{"sort", long},
		{"index", many, "--reduces", "50"},
	} {
		t.Run(job[0], func(t *testing.T) {
			args := append(append([]string{"run"}, job...), "-q", "-o", filepath.Join(t.TempDir(), "out"),
				"--spill-dir", dir, "--memory", fmt.Sprint(budget))
			private := runWatched(t, args, "GOGC=off")
			t.Logf("private %d MiB", private>>20)
			require.LessOrEqual(t, private, int64(budget+slack))
		})
	}
}

// runWatched runs tarry, with more in its environment, and returns the most private memory it
// was seen to have.
func runWatched(t *testing.T, args []string, environment ...string) (private int64) {
	t.Helper()
	cmd := exec.Command("tarry", args...)
	cmd.Env = append(os.Environ(), environment...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	require.NoError(t, cmd.Start())
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case err := <-ended:
			tick.Stop()
			require.NoError(t, err, "%s", text.String())
			return private
		case <-tick.C:
			b, _ := os.ReadFile(status) // gone once the process has ended
			if _, rest, ok := strings.Cut(string(b), "RssAnon:"); ok {
				var kib int64
				_, err := fmt.Sscan(rest, &kib)
				require.NoError(t, err)
				private = max(private, kib<<10)
			}
		}
	}
}

// writeLongLines writes lines of 100 bytes to 8 MiB.
func writeLongLines(t *testing.T, path string, size int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	digits := make([]byte, 9<<20)
	for i := range digits {
		digits[i] = byte('0' + rng.IntN(10))
	}
	f, err := os.Create(path)
	require.NoError(t, err)
	for size > 0 {
		n := []int{100, 5000, 200_000, 1 << 20, 8 << 20}[rng.IntN(5)]
		_, err = f.Write(digits[rng.IntN(1<<20):][:n])
		require.NoError(t, err)
		_, err = f.WriteString("\n")
		require.NoError(t, err)
		size -= n + 1
	}
	require.NoError(t, f.Close())
}
