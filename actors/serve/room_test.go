package serve

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// The block store does not exceed Config.StoreBytes. Uploads and jobs that would exceed it fail and
// leave nothing, until files are removed.
func TestStoreIsBounded(t *testing.T) {
	for _, state := range []string{"", t.TempDir()} {
		b := start(t, func(cfg *Config) { cfg.StoreBytes, cfg.State = 1000, state })
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

// The quota counts a job's output while the job writes it. A job that exceeds the quota fails with
// one line and leaves nothing, and its bytes become free.
func TestJobsKeepToTheRoom(t *testing.T) {
	words := func(n int) (text strings.Builder) {
		for i := range n {
			_, _ = fmt.Fprintf(&text, "w%04d ", i)
		}
		return text
	}
	for _, state := range []bool{false, true} {
		for _, reduces := range []string{"1", "3"} {
			dir := ""
			b := start(t, func(cfg *Config) {
				cfg.StoreBytes = 1000
				if state {
					dir = t.TempDir()
					cfg.State = dir
				}
			})
			ctx := t.Context()
			small, large := words(50), words(5000)
			b.write("small.txt", small.String())
			b.write("large.txt", large.String())
			j := b.submit("count", "large.txt", "-o", "dfs:a/large", "--reduces", reduces)
			end, err := b.Wait(ctx, j.ID, nil)
			require.NoError(t, err)
			require.Equal(t, api.Failed, end.State)
			require.Contains(t, end.Error, "the block store is full: its files may hold 1000 bytes together")
			require.NotContains(t, end.Error, "\n")
			_, err = b.Get(ctx, "a/large/part-r-00000")
			refused(t, err, "not-found")
			if files, err := b.Files(ctx, "a"); err == nil { // a parent directory of the output may remain
				require.Empty(t, files)
			}
			if state {
				left, err := filesBelow(filepath.Join(dir, storeDir), "")
				require.NoError(t, err)
				require.Empty(t, left)
			}
			put := func(name string, n int) error { return b.Put(ctx, name, strings.NewReader(strings.Repeat("x", n))) }
			const output = 50 * len("w0000\t1\n")
			b.wait(b.submit("count", "small.txt", "-o", "dfs:small", "--reduces", reduces).ID)
			refused(t, put("b", 1000-output+1), "store-full")
			require.NoError(t, put("b", 1000-output))
			require.NoError(t, b.Remove(ctx, "b"))
			b.wait(b.submit("count", "small.txt", "-o", "dfs:again", "--reduces", reduces).ID)
			refused(t, put("b", 1000-2*output+1), "store-full")
			require.NoError(t, put("b", 1000-2*output))
		}
	}
}

// Outputs that jobs are writing and uploads share the quota.
func TestRoomIsSharedByWhatComes(t *testing.T) {
	counted := 0
	r := &storeQuota{maxBytes: 100, count: func() (int64, error) { counted++; return 10, nil }}
	a, b, upload := &claim{room: r}, &claim{room: r}, &claim{room: r}
	require.NoError(t, a.grow(50))
	require.Error(t, b.grow(41))
	require.NoError(t, b.grow(40))
	require.Error(t, upload.grow(1))
	require.NoError(t, b.grow(-15))
	require.NoError(t, upload.grow(15))
	upload.end(false, false, func() {})
	b.end(false, false, func() {})
	require.NoError(t, b.grow(1000), "an attempt that comes late writes nothing that stays")
	a.end(true, false, func() {})
	c := &claim{room: r}
	require.NoError(t, c.grow(40))
	require.Error(t, c.grow(1))
	require.Equal(t, 1, counted)
	d := &claim{room: r}
	d.end(true, true, func() {})
	require.NoError(t, c.grow(1))
	require.Equal(t, 2, counted, "of which a former process wrote some")
}

// If the files of the store cannot be counted, it accepts no bytes.
func TestStoreThatCannotBeCounted(t *testing.T) {
	broken := errors.New("broken")
	r := &storeQuota{maxBytes: 10, count: func() (int64, error) { return 0, broken }}
	require.ErrorIs(t, (&claim{room: r}).grow(1), broken)
}
