package actors

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
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
		_ = c.FS().WriteFile("unheard", text) // fails, or its report comes later
		cut.Store(false)
		pass(time.Minute)
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
		got, err := c.FS().ReadFile("in")
		require.NoError(t, err)
		require.Equal(t, text, got)
	})
}

// sending is an actor's context that records the messages sent with it.
type sending struct {
	actor.Context
	message any
	sent    []any
}

func (s *sending) Message() any { return s.message }

func (s *sending) Send(_ *actor.PID, msg any) { s.sent = append(s.sent, msg) }

// The NameNode asks an announced node for its blocks, unless it does not know the node or has
// expired it.
func TestAnnouncedNodesAreAskedForBlocks(t *testing.T) {
	n := &nameNode{nodes: map[dfs.NodeID]*member{"here": {}, "lost": {lost: true}}}
	for id, asked := range map[dfs.NodeID]int{"here": 1, "lost": 0, "unknown": 0} {
		c := &sending{message: &announce{node: id}}
		n.Receive(c)
		require.Len(t, c.sent, asked, id)
	}
}
