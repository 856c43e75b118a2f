package actors

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Config.Chaos disturbs a cluster in every way it has, and what jobs write stays the same.
func TestChaosOnDemand(t *testing.T) {
	seen := map[string]int{}
	failed := int64(0)
	for seed := range uint64(20) {
		nodes := 1 + int(seed%5)
		cfg := Config{
			Nodes: nodes, MapSlots: 2, ReduceSlots: 1, BlockSize: 200, MaxAttempts: 1, // no task may be blamed
			Chaos: &Chaos{Seed: seed, Tell: func(what string) {
				words := strings.Fields(what)
				seen[strings.Join(words[len(words)-1:], " ")]++
				require.False(t, nodes < 3 && (strings.HasSuffix(what, "dies") || strings.HasSuffix(what, "stops")), "%s of %d", what, nodes)
			}},
		}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			job := counting(2)
			job.MapTask = func(*mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
				time.Sleep(700 * time.Millisecond)
				return mapreduce.Mapper[[]byte, string, int64]{Map: words}, nil
			}
			job.Map = nil
			text := prose(seed, 200)
			p, out := bindLines(t, job, text)
			r := c.submit(t, p, SubmitOptions{}).wait(t)
			require.Equal(t, oracle(t, counting(2), text), out.String())
			failed += r.Counters.Named(mapreduce.GroupJob, "Failed map tasks")
		})
	}
	for _, what := range []string{"dies", "stops", "back", "cordoned", "more", "fails"} {
		require.NotZero(t, seen[what], "%s: %v", what, seen)
	}
	require.NotZero(t, failed)
}
