package serve

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// Only the owner and administrators may store files in a finished output, by upload or by a job,
// until it is removed.
func TestFinishedOutputsAreClosed(t *testing.T) {
	for _, state := range []string{"", t.TempDir()} {
		b := withTokens(t, func(cfg *Config) { cfg.State = state })
		ctx := t.Context()
		ann, bob, root := b.as("ann"), b.as("bob"), b.as("root")
		put := func(c *api.Client, name string) error { return c.Put(ctx, name, strings.NewReader("x\n")) }
		submit := func(c *api.Client, out string) error {
			j, err := c.Submit(ctx, api.Submission{Job: "count", Args: []string{"in.txt", "-o", out}}, "")
			if err == nil {
				_, err = c.Wait(ctx, j.ID, nil)
			}
			return err
		}
		require.NoError(t, put(ann, "mine/a"))
		require.NoError(t, put(bob, "mine/b"), "no job has written it")
		require.NoError(t, submit(ann, "dfs:in/out"))
		for _, name := range []string{"in/out/part-r-00099", "in/out/_SUCCESS", "in/out/deep/er/x"} {
			p := refused(t, put(bob, name), "denied")
			require.Equal(t, 403, p.Status)
			require.Equal(t, "dfs:in/out is the finished output of a job of ann: only that user and administrators may add to it", p.Detail)
		}
		refused(t, submit(bob, "dfs:in/out/more"), "denied")
		require.NoError(t, put(bob, "in/other"))
		require.NoError(t, put(bob, "in/outer/x"))
		require.NoError(t, put(ann, "in/out/more"))
		require.NoError(t, put(root, "in/out/most"))
		require.NoError(t, submit(ann, "dfs:in/out/again"))
		refused(t, put(bob, "in/out/again/x"), "denied")
		require.NoError(t, root.Remove(ctx, "in/out"))
		require.NoError(t, put(bob, "in/out/part-r-00000"), "it is no output any more")
		require.NoError(t, submit(bob, "dfs:in/out/again"))
	}
}

// An upload that began before a job cannot complete in the job's output.
func TestSlowPutsStayOutOfOutputs(t *testing.T) {
	for _, state := range []string{"", t.TempDir()} {
		b := withTokens(t, func(cfg *Config) { cfg.StoreBytes, cfg.State = 1<<20, state })
		r, w := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- b.as("bob").Put(t.Context(), "out/part-r-00099", r) }()
		_, err := w.Write([]byte("x"))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return coming(b.s.room) == 1 }, 10*time.Second, time.Millisecond)
		j, err := b.as("ann").Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", "dfs:out"}}, "")
		require.NoError(t, err)
		end, err := b.as("ann").Wait(t.Context(), j.ID, nil)
		require.NoError(t, err)
		require.Equal(t, api.Succeeded, end.State, end.Error)
		require.NoError(t, w.Close())
		refused(t, <-done, "denied")
		_, err = b.as("ann").Get(t.Context(), "out/part-r-00099")
		refused(t, err, "not-found")
	}
}

// coming returns the bytes that current uploads have claimed.
func coming(r *storeQuota) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.coming
}

// If the server does not authenticate callers, everybody may store files in finished outputs.
func TestOutputsAreOpenWhereNobodyIsKnown(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	b.wait(b.submit("count", "in.txt", "-o", "dfs:out").ID)
	require.NoError(t, b.Put(t.Context(), "out/more", strings.NewReader("x")))
}

// After a restart, the server still protects finished outputs, except those that were removed.
func TestClosedOutputsOutliveTheServer(t *testing.T) {
	dir := t.TempDir()
	next := func() *bench {
		return withTokens(t, func(cfg *Config) {
			cfg.State = dir
		})
	}
	ctx := t.Context()
	put := func(b *bench, user, name string) error { return b.as(user).Put(ctx, name, strings.NewReader("x\n")) }
	b := next()
	require.NoError(t, put(b, "ann", "in"))
	for _, out := range []string{"out/a", "out/b"} {
		j, err := b.as("ann").Submit(ctx, api.Submission{Job: "count", Args: []string{"dfs:in", "-o", "dfs:" + out}}, "")
		require.NoError(t, err)
		_, err = b.as("ann").Wait(ctx, j.ID, nil)
		require.NoError(t, err)
	}
	require.NoError(t, b.as("root").Remove(ctx, "out/b"))
	require.NoError(t, put(b, "bob", "out/b/mine"))
	for range 2 { // from the journal, and from its snapshot
		b.stop()
		b = next()
		refused(t, put(b, "bob", "out/a/more"), "denied")
	}
	require.NoError(t, put(b, "ann", "out/a/more"))
	require.NoError(t, put(b, "bob", "out/b/more"))
}
