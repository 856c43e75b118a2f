package serve

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The files of the block store hold no more together than they may: puts that would are refused and
// leave nothing, and so are jobs that write there while it is full, until something is removed.
func TestStoreIsBounded(t *testing.T) {
	for _, state := range []bool{false, true} {
		b := start(t, func(cfg *Config) {
			cfg.StoreBytes = 1000
			if state {
				cfg.State = t.TempDir()
			}
		})
		ctx := t.Context()
		b.write("in.txt", "a\n")
		put := func(name string, n int) error { return b.Put(ctx, name, strings.NewReader(strings.Repeat("x", n))) }
		require.NoError(t, put("a", 600))
		refused(t, put("b", 401), "store-full")
		code, _ := b.problemOf(http.MethodPut, "/api/v1/files/b", strings.Repeat("x", 401), http.Header{"Content-Type": {"application/octet-stream"}})
		require.Equal(t, http.StatusInsufficientStorage, code)
		_, err := b.Get(ctx, "b")
		refused(t, err, "not-found")
		require.NoError(t, put("b", 400))
		_, text := b.problemOf(http.MethodPost, "/api/v1/jobs", `{"job":"count","args":["in.txt","-o","dfs:out"]}`, nil)
		require.Contains(t, text, "store-full")
		require.NoError(t, b.Remove(ctx, "a"))
		b.wait(b.submit("count", "in.txt", "-o", "dfs:out").ID)
		refused(t, put("c", 600), "store-full") // a job's output counts, too
		require.NoError(t, put("c", 590))
	}
}

// A store whose files cannot be counted takes nothing.
func TestStoreThatCannotBeCounted(t *testing.T) {
	broken := errors.New("broken")
	r := &room{most: 10, count: func() (int64, error) { return 0, broken }}
	require.ErrorIs(t, r.take(1), broken)
}
