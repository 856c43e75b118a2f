package actors

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
)

// The recorded calls of the scheduling core in a live run with failures, made on a new core, have
// the same actions as results.
func TestReplay(t *testing.T) {
	for _, preset := range scheduling.Presets() {
		for seed := range uint64(3) {
			var log bytes.Buffer
			writer := calls.NewWriter(&log)
			heartbeats, launches := 0, 0
			cfg := Config{
				Nodes: 6, Racks: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 40, Scheduler: preset, Seed: seed, Expiry: 10 * time.Second,
				Calls: func(c *calls.Call) {
					writer.Write(c)
					if c.Op == calls.Heartbeat {
						heartbeats++
						launches += len(c.Actions)
					}
				},
			}
			rng := rand.New(rand.NewPCG(seed, 5))
			bubble(t, cfg, func(t *testing.T, c *Cluster) {
				var jobs []*JobHandle
				for i := range 6 {
					p, _ := bindLines(t, counting(2), prose(seed+uint64(i), 30))
					jobs = append(jobs, c.submit(t, p, SubmitOptions{User: string(rune('a' + i%3))}))
					pass(time.Duration(rng.IntN(20)) * time.Millisecond)
				}
				require.NoError(t, c.KillNode("node-03"))
				for _, h := range jobs {
					h.wait(t)
				}
			})
			require.NoError(t, writer.Err())
			require.Greater(t, heartbeats, 20)
			require.Greater(t, launches, 30)

			policy, err := cfg.withDefaults().policy()
			require.NoError(t, err)
			full := cfg.withDefaults()
			core, err := scheduling.NewCore(scheduling.Config{
				HeartbeatInterval: full.HeartbeatInterval, Expiry: full.Expiry, MaxAttempts: full.MaxAttempts,
			}, policy)
			require.NoError(t, err)
			require.NoError(t, core.Replay(&log), "preset %s, seed %d", preset, seed)
		}
	}
}
