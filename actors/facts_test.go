package actors

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// If a call of the scheduler panics repeatedly, the running jobs fail. Jobs of an earlier cluster
// that were not yet resubmitted do not fail: they can still resume.
func TestWaitingJobsOutliveHopelessPanics(t *testing.T) {
	dir, homes := t.TempDir(), map[string]string{}
	for _, key := range []string{"a", "b"} {
		homes[key] = t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(homes[key], "in"), []byte(prose(3, 30)), 0o600))
	}
	submit := func(t *testing.T, c *Cluster, key string) *JobHandle {
		return c.submit(t, bindFile(t, homes[key], c.env.cfg.State, key, reducing), SubmitOptions{Key: key})
	}
	remembering(t, dir, Config{Nodes: 2}, func(t *testing.T, c *Cluster) {
		require.EqualValues(t, 1, submit(t, c, "a").ID())
		require.EqualValues(t, 2, submit(t, c, "b").ID())
		pass(time.Second)
	})
	p := new(panicky)
	remembering(t, dir, Config{Nodes: 2, selector: p.choose, Logger: slog.New(p)}, func(t *testing.T, c *Cluster) {
		first := submit(t, c, "a")
		require.EqualValues(t, 1, first.ID())
		p.panics(1000)
		_, err := first.Wait(t.Context())
		require.ErrorIs(t, err, errScheduler)
		p.panics(0)
		second := submit(t, c, "b")
		require.EqualValues(t, 2, second.ID(), "it goes on")
		second.wait(t)
		again := submit(t, c, "a")
		require.EqualValues(t, 3, again.ID(), "one that has failed is new")
		again.wait(t)
		require.Equal(t, parts(t, homes["b"]), parts(t, homes["a"]))
	})
}
