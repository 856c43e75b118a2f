package actors

import (
	"context"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// If the JobTracker or the whole process pauses for longer than the expiry, as by SIGSTOP or on a
// suspended machine, no node is lost: heartbeats wait in its mailbox, or come when all continue.
func TestStallOfAllLosesNothing(t *testing.T) {
	var events recorder
	var until atomic.Int64 // the time before which no message is sent
	cfg := Config{Nodes: 3, Expiry: 5 * time.Second, Events: events.add, deliver: func(any) []time.Duration {
		time.Sleep(time.Until(time.Unix(0, until.Load())))
		return atOnce
	}}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		for _, stall := range []time.Duration{4 * time.Second, 6 * time.Second, time.Hour} {
			for _, all := range []bool{false, true} {
				if all {
					until.Store(time.Now().Add(stall).UnixNano())
				}
				require.NoError(t, c.ask(onTurn(func(*jobTracker) error {
					time.Sleep(stall)
					return nil
				})))
				pass(time.Minute)
				require.Empty(t, events.of(event.Lost), "%v, all: %t", stall, all)
			}
		}
		require.NoError(t, c.KillNode("node-01"))
		pass(7 * time.Second)
		require.Len(t, events.of(event.Lost), 1, "one that is silent while the JobTracker runs is lost as ever")
	})
}

// If the messages of all nodes are lost for longer than the expiry, the block store still has all
// blocks when the nodes return.
func TestSilentNodesKeepTheirBlocks(t *testing.T) {
	var events recorder
	var cut atomic.Bool
	cfg := Config{Nodes: 3, Replication: 2, BlockSize: 100, Expiry: 5 * time.Second, Events: events.add}
	cfg.deliver = losing(func(any) bool { return cut.Load() })
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		text := prose(3, 50)
		require.NoError(t, c.FS().WriteFile("in", []byte(text)))
		cut.Store(true)
		pass(time.Minute)
		require.Len(t, events.of(event.Lost), 3)
		p, out := bindLines(t, counting(1), text)
		h := c.submit(t, p, SubmitOptions{}) // a local input needs no node
		cut.Store(false)
		h.wait(t)
		require.Equal(t, oracle(t, counting(1), text), out.String())
		pass(time.Minute) // all nodes are connected; extra replicas made meanwhile are removed
		got, err := fs.ReadFile(c.FS(), "in")
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		blocks, err := c.FS().Blocks("in")
		require.NoError(t, err)
		for _, b := range blocks {
			require.Len(t, b.Nodes, 2)
		}
	})
}

// Submit accepts every job while nodes die and return. Sleeps use virtual time, which passes only
// when all goroutines wait.
func TestSubmitWhileNodesComeAndGo(t *testing.T) {
	cfg := Config{Nodes: 4, Replication: 2, BlockSize: 200, Expiry: 5 * time.Second}
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		var stop atomic.Bool
		var churn sync.WaitGroup
		churn.Go(func() {
			rng := rand.New(rand.NewPCG(5, 5))
			for !stop.Load() {
				change := []func(string) error{c.KillNode, c.StopNode, c.StartNode}[rng.IntN(3)]
				_ = change(c.names()[rng.IntN(4)])
				time.Sleep(time.Duration(rng.IntN(3)) * time.Millisecond)
				runtime.Gosched()
			}
		})
		text := prose(9, 20)
		want := oracle(t, counting(1), text)
		for range 100 {
			h, out := submitLines(t, c, counting(1), text)
			if h.ID()%20 == 0 {
				for _, name := range c.names() {
					require.NoError(t, c.StartNode(name))
				}
				h.wait(t)
				require.Equal(t, want, out.String())
			}
			time.Sleep(time.Millisecond)
		}
		stop.Store(true)
		churn.Wait()
		c.killAll("enough")
	})
}

// The cluster survives panics of all user functions that it notifies: of events, calls and the log.
func TestSinksMayPanic(t *testing.T) {
	fault := func() { panic("sink") }
	var told []event.Type
	cfg := Config{Nodes: 2, Logger: slog.New(brokenHandler{fault})}
	cfg.Events = func(e Event) { told = append(told, e.Type); fault() }
	cfg.Calls = func(*calls.Call) { fault() }
	bubble(t, cfg, func(t *testing.T, c *Cluster) {
		c.requireAlive(t)
		require.Subset(t, told, []event.Type{event.Joined, event.Finished})
		for _, way := range []string{"panic", "goexit"} { // Inspect returns the failure
			blame(t, way, c.Inspect(func(scheduling.View) { _ = ways[way]() }))
		}
		require.NoError(t, c.KillNode("node-01"))
		synctest.Wait()
	})
}

type brokenHandler struct{ fault func() }

func (h brokenHandler) Enabled(context.Context, slog.Level) bool  { h.fault(); return true }
func (h brokenHandler) Handle(context.Context, slog.Record) error { h.fault(); return nil }
func (h brokenHandler) WithAttrs([]slog.Attr) slog.Handler        { h.fault(); return h }
func (h brokenHandler) WithGroup(string) slog.Handler             { h.fault(); return h }
