package actors

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// pretender is an actor that stands for a node: it passes the JobTracker's answers to its channels.
type pretender struct {
	up   chan struct{}
	acks chan *heartbeatAck
}

// Receive implements actor.Actor.
func (p *pretender) Receive(c actor.Context) {
	switch m := c.Message().(type) {
	case *joined:
		close(p.up)
	case *heartbeatAck:
		p.acks <- m
	}
}

// pretend starts a cluster whose nodes' heartbeats are lost. beat sends a heartbeat as the first
// node and returns the JobTracker's answer. The node itself still reports its blocks.
func pretend(b *testing.B, nodes int) (c *Cluster, beat func(reports ...*report) *heartbeatAck) {
	b.Helper()
	var spec atomic.Pointer[scheduling.Node]
	c = startB(b, Config{
		Nodes: nodes, MapSlots: 1, ReduceSlots: 1, BlockSize: 1, HeartbeatInterval: time.Hour, Expiry: 10 * time.Hour,
		deliver: losing(func(msg any) bool {
			if m, ok := msg.(*join); ok && m.spec.Name == "node-00" {
				spec.Store(&m.spec)
			}
			_, ok := msg.(*heartbeat)
			return ok
		}),
	})
	p := &pretender{up: make(chan struct{}), acks: make(chan *heartbeatAck, 1)}
	root := c.env.sys.Root
	pid := root.Spawn(c.env.sys.props(func() actor.Actor { return p }))
	root.RequestWithCustomSender(c.jobTracker, &join{pid: pid, spec: *spec.Load()}, pid)
	<-p.up
	var seq uint64
	return c, func(reports ...*report) *heartbeatAck {
		seq++
		h := &heartbeat{reports: reports, beat: scheduling.Heartbeat{
			Node: c.env.places[0].id, Incarnation: spec.Load().Incarnation, Seq: seq,
		}}
		for _, r := range reports {
			h.beat.Statuses = append(h.beat.Statuses, r.status)
		}
		root.RequestWithCustomSender(c.jobTracker, h, pid)
		return <-p.acks
	}
}

// BenchmarkHeartbeat measures one heartbeat, from a node's message to the JobTracker's answer.
// "idle" reports nothing and gets no work. "launch" reports a map's end and gets the next map.
func BenchmarkHeartbeat(b *testing.B) {
	for _, nodes := range []int{1, 40} {
		b.Run(fmt.Sprintf("idle/nodes=%d", nodes), func(b *testing.B) {
			_, beat := pretend(b, nodes)
			b.ReportAllocs()
			for b.Loop() {
				require.Empty(b, beat().actions)
			}
		})
	}
	b.Run("launch", func(b *testing.B) {
		c, beat := pretend(b, 1)
		b.ReportAllocs()
		var job *JobHandle
		var told []*report
		for b.Loop() {
			ack := beat(told...)
			if len(ack.actions) == 0 {
				b.StopTimer()
				job = c.submit(b, emptyTasks(b, 100_000, false), SubmitOptions{})
				ack = beat()
				b.StartTimer()
			}
			require.Len(b, ack.actions, 1)
			told = ended(ack.actions[0].Attempt)
		}
		require.NoError(b, job.Kill("enough"))
		beat(told...)
		<-job.run.done
	})
}

// ended returns the report of a map that succeeded.
func ended(id scheduling.AttemptID) []*report {
	return []*report{{
		status:   scheduling.Status{Attempt: id, State: scheduling.StateSucceeded, Progress: 1},
		counters: new(counter.Set),
	}}
}

// BenchmarkSubmit measures the time on an idle cluster from Submit to the first call of the job's
// map function.
func BenchmarkSubmit(b *testing.B) {
	for _, nodes := range []int{1, 40} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := startB(b, Config{Nodes: nodes, Racks: min(nodes, 4)})
			began := make(chan struct{}, 1)
			job := mapreduce.MapOnly[[]byte, string]{Map: func([]byte, func(string)) error {
				began <- struct{}{}
				return nil
			}}
			b.ReportAllocs()
			for b.Loop() {
				p, err := job.Bind(mapreduce.Chunks(mapreduce.Bytes("text", []byte("a"))), mapreduce.Text[string](mapreduce.Writer("none", io.Discard)))
				require.NoError(b, err)
				h := c.submit(b, p, SubmitOptions{})
				<-began
				b.StopTimer()
				_, err = h.Wait(context.Background())
				require.NoError(b, err)
				b.StartTimer()
			}
		})
	}
}
