package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
)

// --user names the user of a run's and of a batch's jobs, and with it their pool.
func TestUserOfRunAndBatch(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in", "b\na\n")
	write(t, "jobs", "sort in -o out2 --user eve\n")
	for _, line := range []string{"run sort in -o out1 -q --user eve --events ev", "batch jobs -q --events ev"} {
		w := runHere(t, strings.Fields(line), nil)
		require.Zero(t, w.code, w.errs)
		in, err := openFile("ev")
		require.NoError(t, err)
		users := map[string]string{}
		require.NoError(t, eventlog.Read(in, func(e *actors.Event) error {
			if e.User != "" {
				users[e.User] = e.Pool
			}
			return nil
		}))
		require.NoError(t, in.Close())
		require.Equal(t, map[string]string{"eve": "eve"}, users, line)
	}
}

// BenchmarkParseOrder is what a server takes to understand the arguments of a job.
func BenchmarkParseOrder(b *testing.B) {
	wordcount := libraryJobs()[0]
	for b.Loop() {
		if _, err := wordcount.Parse([]string{"in", "-o", "out", "--reduces", "2"}); err != nil {
			b.Fatal(err)
		}
	}
}
