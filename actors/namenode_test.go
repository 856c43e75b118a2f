package actors

import (
	"context"
	"io/fs"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// The NameNode loses all messages while nodes start, blocks are written or replicas must be
// recreated. When messages arrive once more, it learns all replicas of the nodes, and every block
// has its number of them.
func TestLostReports(t *testing.T) {
	var cut atomic.Bool
	cut.Store(true)
	cfg := Config{Nodes: 4, Replication: 2, BlockSize: 100, Expiry: 20 * time.Second}
	cfg.deliver = func(msg any) []time.Duration {
		if cut.Load() && withNameNode(msg) {
			return nil
		}
		return atOnce
	}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		whole := func(name string) {
			t.Helper()
			cut.Store(false)
			pass(time.Minute)
			blocks, err := c.FS().Blocks(name)
			require.NoError(t, err)
			require.NotEmpty(t, blocks)
			for _, b := range blocks {
				require.Len(t, b.Nodes, 2)
			}
		}
		text := []byte(prose(3, 50))
		require.NoError(t, c.FS().WriteFile("in", text))
		whole("in")
		cut.Store(true)
		require.NoError(t, c.KillNode("node-01"))
		pass(time.Minute)
		whole("in")
		require.NoError(t, c.StartNode("node-01"))
		pass(time.Minute)
		require.NoError(t, c.KillNode("node-02"))
		whole("in")
		got, err := fs.ReadFile(c.FS(), "in")
		require.NoError(t, err)
		require.Equal(t, text, got)
	})
}

// The store recreates all lost replicas, but no faster than Config.HealRate.
func TestHealingHasARate(t *testing.T) {
	const blocks, size = 40, 1 << 10
	cfg := Config{Nodes: 3, Replication: 2, HealRate: size, Expiry: 5 * time.Second, HeartbeatInterval: time.Second}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		src := dfs.Bytes("in", make([]byte, blocks*size))
		require.NoError(t, c.FS().Register("in", src, size))
		replicas := func() (n int) {
			list, err := c.FS().Blocks("in")
			require.NoError(t, err)
			for _, b := range list {
				n += len(b.Nodes)
			}
			return n
		}
		require.Equal(t, 2*blocks, replicas())
		require.NoError(t, c.StopNode("node-01"))
		pass(time.Second)
		left := replicas()
		require.Less(t, left, 2*blocks-10)
		pass(5 * time.Second)
		made := replicas() - left
		require.Positive(t, made)
		require.LessOrEqual(t, made, 2*6, "two nodes, a block a second each")
		pass(blocks * time.Second)
		require.Equal(t, 2*blocks, replicas())
	})
}

// A job that reads a block without live replicas fails at once. Its error names file and block.
func TestBlockWithoutAReplica(t *testing.T) {
	bubble(t, Config{Nodes: 2, Replication: 1}, func(t *testing.T, c *Cluster) {
		require.NoError(t, c.FS().WriteFile("words", []byte("a b\n")))
		input, err := mapreduce.FS(c.FS(), "words")
		require.NoError(t, err)
		p, err := counting(1).Bind(mapreduce.Lines(input...), new(mapreduce.Collected[pair]).Output())
		require.NoError(t, err)
		for _, n := range c.names() {
			require.NoError(t, c.FS().Lose(dfs.NodeID(n), true))
		}
		r, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, ErrJobFailed)
		require.ErrorIs(t, err, dfs.ErrNoReplica)
		require.ErrorContains(t, err, "words: dfs: no live replica: blk_1: no live node holds it")
		require.EqualValues(t, 1, r.Counters.Named(counter.GroupJob, "Failed map tasks"))
	})
}
