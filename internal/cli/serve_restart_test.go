//go:build unix

package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// A server with --state is killed and restarted repeatedly, while clients submit small jobs that
// write into its block store, and kill some of them. Each start resumes dozens of jobs, many of
// which end at once. At the end, every job whose submission was answered exists and has ended.
// LONG_TESTS=1 tries this 20 times.
func TestServerRestartedUnderLoad(t *testing.T) {
	t.Parallel()
	times := 4
	if os.Getenv("LONG_TESTS") != "" {
		times = 20
	}
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 1))
	start := func() *killedServer {
		k := &killedServer{t: t, dir: dir}
		k.cmd, k.client = startServer(t, dir, "--state", "state", "--nodes", "2")
		return k
	}
	var mu sync.Mutex
	answered := map[int64]string{}
	for round := range times {
		k := start()
		require.NoError(t, ignoreExists(k.client.Put(t.Context(), "in", strings.NewReader("a b\nc a\n"))), "round %d", round)
		var clients sync.WaitGroup
		for c := range 4 {
			clients.Go(func() {
				for i := range 12 { // fewer in all than a server remembers
					key := fmt.Sprint(round, "-", c, "-", i)
					j, err := k.client.Submit(t.Context(), api.Submission{Job: "wordcount", Args: []string{"dfs:in", "-o", "dfs:out/" + key}}, key)
					if err != nil {
						return // the server is gone
					}
					mu.Lock()
					answered[j.ID] = key
					mu.Unlock()
					if i%4 == 0 {
						_, _ = k.client.Kill(t.Context(), j.ID, "") // may have ended, as the server may
					}
				}
			})
		}
		time.Sleep(time.Duration(100+rng.IntN(400)) * time.Millisecond) // a random moment of the kill
		require.NoError(t, k.cmd.Process.Kill())
		clients.Wait()
		require.EqualError(t, k.cmd.Wait(), "signal: killed", "round %d", round)
	}
	k := start()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for id, key := range answered {
		j, err := k.client.Wait(ctx, id, nil)
		require.NoError(t, err)
		require.Contains(t, []string{api.Succeeded, api.Killed}, j.State, "%s: %s", key, j.Error)
	}
	t.Logf("%d restarts, %d jobs", times, len(answered))
	require.NoError(t, k.cmd.Process.Signal(os.Interrupt))
	_ = k.cmd.Wait() // a signal ended it, so Wait returns an error
}
