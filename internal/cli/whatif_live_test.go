package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// napping makes the files of a batch whose maps and reduces sleep, and gives its lines: some long jobs
// and many short ones, that come in the first two seconds.
func napping(t *testing.T, r *rand.Rand) string {
	t.Helper()
	var lines strings.Builder
	at := 0.0
	for k := range 10 {
		naps := []int{2, 3, 6, 12, 48}[r.IntN(5)]
		if k == 0 {
			naps = 60
		}
		var text strings.Builder
		for range naps {
			fmt.Fprintf(&text, "%dms\n", 100+r.IntN(200))
		}
		name := fmt.Sprintf("naps%d.txt", k)
		write(t, name, text.String())
		fmt.Fprintf(&lines, "at %dms sleep %s -o out/%d --reduce-time 150ms --reduces %d --user u%d\n", int(1000*at), name, k, 1+naps/12, k)
		at += r.ExpFloat64() * 0.2
	}
	return lines.String()
}

// Ten live runs come back: the recorded policy within 5 % of the mean sojourn and a point of locality;
// and what another policy is said to change has the sign of what it changes when it is really run
// live, in nine of the ten at least. They take real time, as live runs do: LONG_TESTS=1.
func TestWhatIfOfLiveRuns(t *testing.T) {
	if os.Getenv("LONG_TESTS") == "" {
		t.Skip("live runs take minutes: LONG_TESTS=1")
	}
	t.Chdir(t.TempDir())
	changes := [][2]string{
		{"fair", "fifo"},
		{"fifo", "fair"},
		{"hfs", "fifo"},
		{"fifo", "hfs"},
		{"hfsp", "fair"},
		{"fair", "hfsp"},
		{"delay", "fifo"},
		{"fifo", "srpt"},
		{"srpt", "fair"},
		{"hfs", "hfsp"},
	}
	signs := 0
	for i, c := range changes {
		r := rand.New(rand.NewPCG(uint64(i), 15))
		write(t, "jobs.txt", napping(t, r))
		live := func(scheduler string) string {
			name := filepath.Join(t.TempDir(), scheduler+".jsonl")
			require.NoError(t, os.RemoveAll("out"))
			args := []string{"batch", "jobs.txt", "--racks", "2", "--nodes", "6", "--map-slots", "2", "--reduce-slots", "1", "--block-size", "16"}
			got := runHere(t, append(args, "--no-progress", "--quiet", "--scheduler", scheduler, "--events", name), nil)
			require.Zero(t, got.code, "%s", got.errs)
			return name
		}
		ask := func(name string, more ...string) (o whatIfJSON) {
			got := runHere(t, append([]string{"whatif", name, "--json"}, more...), nil)
			require.Zero(t, got.code, "%s", got.errs)
			require.NoError(t, json.Unmarshal([]byte(got.out), &o))
			return o
		}
		said := ask(live(c[0]), "--scheduler", c[1])
		really := ask(live(c[1])).Recorded.Mean
		was := said.Recorded.Mean
		t.Logf("%s → %s: mean sojourn %.3f s, again %+.2f %%, node-local %+.2f points; really %+.1f %%, said %+.1f %%", c[0], c[1],
			was, said.Error.SojournPercent, said.Error.LocalPoints, 100*(really/was-1), said.Change.SojournPercent)
		assert.LessOrEqual(t, math.Abs(said.Error.SojournPercent), 5.0)
		assert.LessOrEqual(t, math.Abs(said.Error.LocalPoints), 1.0)
		if (really > was) == (said.Change.SojournPercent > 0) {
			signs++
		}
	}
	t.Logf("%d of %d signs agree", signs, len(changes))
	require.GreaterOrEqual(t, signs, 9)
}
