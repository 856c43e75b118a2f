package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
)

// If an administrator kills a node, the JobTracker reruns its attempts at once, long before the
// node would expire.
func TestKilledNodeIsLostAtOnce(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	j := b.submit("held", "in.txt", "-o", "out")
	on := func(live bool) (names []string) {
		require.NoError(t, b.s.cluster.Inspect(func(v scheduling.View) {
			for _, n := range v.Nodes() {
				if n.Live == live && (!live || n.Running[0] > 0) {
					names = append(names, n.Name)
				}
			}
		}))
		return names
	}
	require.Eventually(t, func() bool { return len(on(true)) == 1 }, 10*time.Second, time.Millisecond)
	where := on(true)[0]
	_, err := b.Node(t.Context(), where, "kill")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		now := on(true)
		return len(now) == 1 && now[0] != where
	}, 10*time.Second, time.Millisecond, "its attempt is lost, and runs again on another node")
	require.Equal(t, []string{where}, on(false))
	close(b.gate)
	require.Equal(t, api.Succeeded, b.wait(j.ID).State)
}

// A drained node stops only after its attempts have ended.
func TestDrainWaitsForWhatRuns(t *testing.T) {
	b := start(t, func(cfg *Config) { cfg.Cluster.Nodes, cfg.Cluster.Racks = 1, 1 })
	b.write("in.txt", "a\n")
	j := b.submit("held", "in.txt", "-o", "out")
	b.runs(j.ID)
	n, err := b.Node(t.Context(), "node-00", "drain")
	require.NoError(t, err)
	require.Equal(t, "draining", n.State)
	close(b.gate)
	require.Equal(t, api.Succeeded, b.wait(j.ID).State)
	require.Eventually(t, func() bool {
		list, err := b.Nodes(t.Context())
		return err == nil && list[0].State == "down"
	}, 10*time.Second, 10*time.Millisecond)
}
