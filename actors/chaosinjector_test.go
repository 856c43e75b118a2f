package actors

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// Over 20 seeds, Config.Chaos causes each kind of disturbance. The output of jobs stays the same.
func TestChaosOnDemand(t *testing.T) {
	seen := map[string]int{}
	failed := int64(0)
	for seed := range uint64(20) {
		nodes := 1 + int(seed%5)
		cfg := Config{
			Nodes: nodes, MapSlots: 2, ReduceSlots: 1, BlockSize: 200, MaxAttempts: 1, // one failure would fail the job
			Chaos: &Chaos{Seed: seed, Tell: func(what string) {
				words := strings.Fields(what)
				seen[strings.Join(words[len(words)-1:], " ")]++
				require.False(t, nodes < 3 && (strings.HasSuffix(what, "dies") || strings.HasSuffix(what, "stops")), "%s of %d", what, nodes)
			}},
		}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			job := counting(2)
			job.MapTask = func(*mapreduce.Task) (mapper, error) {
				time.Sleep(700 * time.Millisecond)
				return mapper{Map: words}, nil
			}
			job.Map = nil
			text := prose(seed, 200)
			r, out := runLines(t, c, job, text)
			require.Equal(t, oracle(t, counting(2), text), out)
			failed += r.Counters.Named(counter.GroupJob, "Failed map tasks")
		})
	}
	for _, what := range []string{"dies", "stops", "back", "cordoned", "more", "fails"} {
		require.NotZero(t, seen[what], "%s: %v", what, seen)
	}
	require.NotZero(t, failed)
}

// Chaos makes the first attempt of one task in eight fail, and never a later one. The seed
// determines which.
func TestChaosFailsFewAttempts(t *testing.T) {
	const tasks = 8000
	failing := func(seed uint64, try int32) (list []int) {
		u := newChaosInjector(&Chaos{Seed: seed})
		for i := range tasks {
			task := scheduling.TaskID{Job: scheduling.JobID(i % 7), Kind: scheduling.TaskKind(i % 2), Index: int32(i)}
			if u.fails(scheduling.AttemptID{Task: task, Try: try}) != nil {
				list = append(list, i)
			}
		}
		return list
	}
	some := failing(1, 0)
	require.InDelta(t, tasks/8, len(some), tasks/80)
	require.Equal(t, some, failing(1, 0))
	require.NotEqual(t, some, failing(2, 0))
	require.Empty(t, failing(1, 1))
}

// Chaos disturbs one in eight messages between machines: the message is lost, late or doubled. It
// does not disturb messages within a machine.
func TestChaosDisturbsFewMessages(t *testing.T) {
	const messages = 8000
	u := newChaosInjector(&Chaos{Seed: 1})
	var disturbed, lost, doubled, late int
	for range messages {
		arrivals := u.deliver(&heartbeat{})
		if len(arrivals) == 1 && arrivals[0] == 0 {
			continue
		}
		disturbed++
		switch len(arrivals) {
		case 0:
			lost++
		case 1:
			late++
		case 2:
			require.Zero(t, arrivals[0])
			doubled++
		}
		for _, d := range arrivals {
			require.Less(t, d, 100*time.Millisecond)
			require.True(t, d == 0 || d >= 25*time.Millisecond)
		}
		require.Equal(t, atOnce, u.deliver(&report{}))
		require.Equal(t, atOnce, u.deliver(&asked{}))
	}
	require.InDelta(t, messages/8, disturbed, messages/80)
	for _, n := range []int{lost, late, doubled / 2} {
		require.InDelta(t, disturbed/4, n, float64(disturbed)/10)
	}
}

// Disturbances become rarer over time, so that all jobs end. Each lasts about a second. Nodes die
// only in clusters of at least three.
func TestChaosCalmsDown(t *testing.T) {
	for seed := range uint64(5) {
		begins := map[string][]time.Time{} // of disturbances that have not ended, by node and kind
		all, downs := 0, 0
		var on atomic.Int32 // disturbances that have begun and not ended
		cfg := Config{Nodes: 3, HeartbeatInterval: 5 * time.Second, Chaos: &Chaos{Seed: seed, Tell: func(text string) {
			name, what, _ := strings.Cut(text, " ")
			cordon := strings.HasPrefix(what, "is cordoned")
			of := fmt.Sprint(name, cordon)
			if what == "is back" || what == "is cordoned no more" {
				require.InDelta(t, downFor, time.Since(begins[of][0]), float64(downFor/2), text)
				begins[of] = begins[of][1:]
				on.Add(-1)
				return
			}
			begins[of] = append(begins[of], time.Now())
			on.Add(1)
			all++
			if !cordon {
				downs++
			}
		}}}
		synctest.Test(t, func(t *testing.T) {
			c, err := Start(cfg)
			require.NoError(t, err)
			pass(10 * time.Minute)
			for on.Load() > 0 { // waits for the end of the last disturbance
				pass(downFor)
			}
			require.NoError(t, c.Inspect(func(v scheduling.View) {
				for _, n := range v.Nodes() {
					require.False(t, n.Cordoned)
				}
			}))
			for _, pid := range c.nodes {
				require.NotNil(t, pid)
			}
			require.NoError(t, c.Close())
			pass(time.Minute)
		})
		require.Positive(t, downs)
		require.InDelta(t, 45, all, 10, "the time between two grows")
	}
}
