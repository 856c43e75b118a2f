package serve

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/dfs"
)

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

// Uploads and outputs in progress share the limit with stored files. A claim that has ended takes
// no more.
func TestRoomIsSharedByWhatComes(t *testing.T) {
	c := &catalog{maxBytes: 100, stored: stored{Files: map[string]*dfs.Sums{}}}
	c.note(&entry{Stored: map[string]*dfs.Sums{"a": {Size: 4}, "dir/b": {Size: 6}}}, "", nil)
	one, two, upload := &claim{catalog: c}, &claim{catalog: c}, &claim{catalog: c}
	require.NoError(t, one.grow(50))
	require.Error(t, two.grow(41))
	require.NoError(t, two.grow(40))
	require.Error(t, upload.grow(1))
	require.Error(t, c.checkRoom())
	require.NoError(t, two.grow(-15))
	require.NoError(t, upload.grow(15))
	c.note(new(entry), "", upload)
	c.note(new(entry), "", two)
	require.NoError(t, two.grow(1000), "an attempt that comes late writes nothing that stays")
	c.note(&entry{Stored: map[string]*dfs.Sums{"dir/one": {Size: 40}}}, "", one)
	last := &claim{catalog: c}
	require.NoError(t, last.grow(50))
	require.Error(t, last.grow(1))
	c.note(&entry{Removed: "dir"}, "", nil)
	require.NoError(t, last.grow(46))
	require.Error(t, last.grow(1))
}
