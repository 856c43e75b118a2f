package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// A batch at work takes up edits of its files: what is wrong changes nothing and is told, with the
// line, once; what is right is in force 5 to 15 seconds after it was written. Its jobs go on.
func TestBatchTakesUpEditedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "nap.txt", "60s\n")
	write(t, "jobs.txt", "sleep nap.txt -o out --pool a\n")
	write(t, "pools.xml", pool("1"))
	var stdout, stderr bytes.Buffer
	begin := map[string]time.Duration{}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		edit := func(text string) {
			begin[text] = time.Since(began)
			require.NoError(t, os.WriteFile("pools.xml", []byte(text), 0o600))
			require.NoError(t, os.Chtimes("pools.xml", time.Now(), time.Now()))
		}
		go func() {
			time.Sleep(3 * time.Second)
			edit(pool("0"))
			time.Sleep(30 * time.Second)
			edit(pool("2"))
		}()
		p := &program{stdin: os.Stdin, stdout: &stdout, stderr: &stderr, getenv: func(string) (string, bool) { return "", false }}
		root := newRoot(p)
		root.SetArgs([]string{"batch", "jobs.txt", "--no-progress", "--allocations", "pools.xml", "--events", "ev.jsonl"})
		require.NoError(t, root.ExecuteContext(context.Background()), stderr.String())
	})
	within := func(e actors.Event, text string) {
		require.GreaterOrEqual(t, e.At-begin[text], 5*time.Second)
		require.LessOrEqual(t, e.At-begin[text], 15*time.Second)
	}
	events, err := os.ReadFile("ev.jsonl")
	require.NoError(t, err)
	var seen []event.Type
	for line := range strings.Lines(string(events)) {
		var e actors.Event
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		switch e.Type {
		case event.ReloadFailed:
			require.Contains(t, e.Err, "pools.xml:2: pool a: weight: 0 would give nothing")
			within(e, pool("0"))
		case event.Reconfigured:
			require.Equal(t, 2.0, e.Policy.Pools.Pools[0].Weight)
			within(e, pool("2"))
		case event.Finished:
			require.Equal(t, "succeeded", e.State)
			require.GreaterOrEqual(t, e.At, time.Minute)
		default:
			continue
		}
		seen = append(seen, e.Type)
	}
	require.Equal(t, []event.Type{event.ReloadFailed, event.Reconfigured, event.Finished}, seen)
	require.Contains(t, stderr.String(), "tarry: configuration files are not reloaded, the old ones stay in force: pools.xml:2: pool a")
	require.Contains(t, stderr.String(), "tarry: configuration files are reloaded\n")
}
