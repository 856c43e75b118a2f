//go:build linux

package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
)

// runWithFewFiles runs a job that spills in many slots, in a process that may open 64 files.
func runWithFewFiles(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-c", `ulimit -n 64 && exec tarry run -q "$@"`, "sh"}, args...)
	args = append(args, "--spill-dir", dir, "--memory", "4MiB", "--map-slots", "16", "--reduce-slots", "16")
	text, err := exec.Command("sh", args...).CombinedOutput()
	require.NoError(t, err, "%q: %s", args, text)
}

// A job that spills in 32 slots, for 100 reduces, works in a process that may open only 64 files.
func TestFewDescriptors(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	c := gen.Config{Kind: gen.Lines, Bytes: 8 << 20, Seed: 1}
	require.NoError(t, gen.WriteFile(context.Background(), in, c, false))
	runWithFewFiles(t, dir, "sort", in, "-o", out, "--reduces", "100", "--block-size", "256KiB")
}

// Jobs that read 2,000 files and spill work in a process that may open only 64 files.
func TestFewDescriptorsForManyFiles(t *testing.T) {
	dir := t.TempDir()
	many := filepath.Join(dir, "many")
	writeManyFiles(t, many, 2000)
	for _, job := range []string{"wordcount", "sort", "index"} {
		runWithFewFiles(t, dir, job, many, "-o", filepath.Join(dir, job), "--reduces", "20")
	}
}

// writeManyFiles creates dir with n files of 20 words each.
func writeManyFiles(t *testing.T, dir string, n int) {
	t.Helper()
	require.NoError(t, os.Mkdir(dir, 0o755))
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		var text []byte
		for range 20 {
			text = fmt.Appendf(text, "word%d ", rng.IntN(1+rng.IntN(5000)))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file-%06d", i)), text, 0o600))
	}
}
