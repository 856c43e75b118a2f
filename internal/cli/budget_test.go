//go:build linux && !race

// No test here runs under the race detector, which itself needs memory.

package cli

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

// The private memory of a process is at most --memory plus 40 MiB, for any job, compression, and
// number of reduces, slots and files. GOGC=off lets the heap grow up to the program's own limit:
// the result does not depend on when the collector runs. Short jobs, whose input is at least twice
// their memory, and two tight ones always run. LONG_TESTS=1 adds many larger jobs.
func TestMemoryStaysWithinTheBudget(t *testing.T) {
	cases := append(smallBudgets(t), tightBudgets(t)...)
	if os.Getenv("LONG_TESTS") != "" {
		cases = append(cases, largeBudgets(t)...)
	}
	const slack = 40 << 20
	for _, c := range cases {
		t.Run(fmt.Sprint(c.budget>>20, " MiB ", c.name), func(t *testing.T) {
			spills := t.TempDir()
			args := append([]string{"run"}, c.job...)
			args = append(args, "-q", "--output", filepath.Join(t.TempDir(), "out"), "--spill-dir", spills, "--memory", fmt.Sprint(c.budget))
			private := runWatched(t, args, "GOGC=off")
			t.Logf("private %d MiB", private>>20)
			require.LessOrEqual(t, private, c.budget+slack, "%v", c.job)
			left, err := os.ReadDir(spills)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// budgetCase is a job and its memory budget.
type budgetCase struct {
	name   string
	budget int64
	job    []string
}

// budgetCases returns a case for each pair of job and budget. Names of cases omit dir.
func budgetCases(dir string, jobs [][]string, budgets ...int64) (list []budgetCase) {
	for _, budget := range budgets {
		for _, job := range jobs {
			name := strings.ReplaceAll(strings.Join(job, " "), dir+string(filepath.Separator), "")
			list = append(list, budgetCase{name, budget, job})
		}
	}
	return list
}

func smallBudgets(t *testing.T) []budgetCase {
	dir := t.TempDir()
	lines, long, many := filepath.Join(dir, "lines"), filepath.Join(dir, "long"), filepath.Join(dir, "many")
	c := gen.Config{Kind: gen.Lines, Bytes: 16 << 20, Seed: 1}
	require.NoError(t, gen.WriteFile(context.Background(), lines, c, false))
	writeLongLines(t, long, 48<<20)
	writeManyFiles(t, many, 4000)
	return budgetCases(dir, [][]string{
		{"wordcount", lines, "--reduces", "100", "--map-slots", "16"},
		{"sort", long},
		{"index", many, "--reduces", "50"},
	}, 8<<20)
}

// wide are options with which lists by reduce and by slot take much of a small budget.
var wide = []string{"--reduces", "500", "--map-slots", "64"}

// tightBudgets returns jobs that once exceeded their budgets: lists of runs by map and reduce, and
// the memory that the Go heap did not return, did not fit.
func tightBudgets(t *testing.T) []budgetCase {
	dir := t.TempDir()
	text, many := filepath.Join(dir, "text"), filepath.Join(dir, "many")
	c := gen.Config{Kind: gen.Text, Bytes: 128 << 20, Seed: 1}
	require.NoError(t, gen.WriteFile(context.Background(), text, c, false))
	writeManyFiles(t, many, 40_000)
	reduces, files := []int64{64 << 20}, []int64{128 << 20}
	if os.Getenv("LONG_TESTS") != "" {
		reduces, files = append(reduces, 128<<20, 512<<20), append(files, 64<<20, 512<<20)
	}
	return append(budgetCases(dir, [][]string{append([]string{"index", text}, wide...)}, reduces...),
		budgetCases(dir, [][]string{{"index", many}}, files...)...)
}

func largeBudgets(t *testing.T) []budgetCase {
	const size = 128 << 20
	dir := t.TempDir()
	generated := func(kind gen.Kind) string {
		path := filepath.Join(dir, string(kind))
		c := gen.Config{Kind: kind, Bytes: size, Seed: 1}
		require.NoError(t, gen.WriteFile(context.Background(), path, c, false))
		return path
	}
	lines, tera, text := generated(gen.Lines), generated(gen.Tera), generated(gen.Text)
	pairs, long := generated(gen.Pairs), filepath.Join(dir, "long")
	writeLongLines(t, long, size)
	return budgetCases(dir, [][]string{
		{"wordcount", lines},
		append([]string{"wordcount", lines}, wide...),
		{"sort", long},
		append([]string{"sort", text}, wide...),
		{"sort", text, "--compress", "gzip"},
		{"terasort", tera, "--reduces", "500"},
		{"terasort", tera, "--compress", "zstd", "--reduces", "64", "--reduce-slots", "64"},
		{"index", text},
		{"grep", "a", lines, "--compress", "zstd", "--map-slots", "64"},
		append([]string{"mean", pairs}, wide...),
		{"top", pairs, "--map-slots", "64"},
	}, 64<<20, 128<<20, 512<<20)
}

// runWatched runs tarry with args and more environment variables. It returns the maximum private
// memory of the process, in bytes, sampled every 5 ms.
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

// writeLongLines writes a file of about size bytes, with lines of 100 bytes to 8 MiB.
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
