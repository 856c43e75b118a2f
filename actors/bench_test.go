package actors

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/cputime"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// startB starts a cluster for a benchmark.
func startB(b *testing.B, cfg Config) *Cluster {
	b.Helper()
	c, err := Start(cfg)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, c.Close()) })
	return c
}

// BenchmarkTinyJob measures a job of one map and one reduce over a few lines, from Submit to its
// end. The targets are a median of 1 ms and a 99th percentile of 5 ms.
func BenchmarkTinyJob(b *testing.B) {
	for _, nodes := range []int{1, 40} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := startB(b, Config{Nodes: nodes, Racks: min(nodes, 4)})
			var took []time.Duration
			cpu := cputime.Used()
			for b.Loop() {
				began := time.Now()
				c.submit(b, wordCount(b, "a b a\nc a\n", 1), SubmitOptions{}).wait(b)
				took = append(took, time.Since(began))
			}
			b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(b.N), "cpu-us/op")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
		})
	}
}

// BenchmarkJobsPerSecond lets eight users submit tiny jobs at the same time. It also reports the
// heap that an ended job occupies.
func BenchmarkJobsPerSecond(b *testing.B) {
	c := startB(b, Config{})
	before, cpu := heap(), cputime.Used()
	jobs := make(chan int)
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for range jobs {
				c.submit(b, wordCount(b, "a b a\nc a\n", 1), SubmitOptions{}).wait(b)
			}
		})
	}
	for b.Loop() {
		jobs <- 0
	}
	close(jobs)
	users.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(b.N), "cpu-us/op")
	b.ReportMetric(float64(heap()-before)/float64(b.N), "left-B/job")
	b.ReportMetric(float64(runtime.NumGoroutine()), "goroutines")
}

// heap returns the size of the heap after collections, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// emptyTasks returns a job of n maps, each over one byte, that emit nothing; perhaps with a reduce.
func emptyTasks(tb testing.TB, n int, reduce bool) *mapreduce.Plan {
	tb.Helper()
	in := mapreduce.Chunks(mapreduce.Bytes("bytes", make([]byte, n)))
	p, err := mapreduce.MapOnly[[]byte, string]{Map: func([]byte, func(string)) error { return nil }}.Bind(
		in, mapreduce.Text[string](mapreduce.Writer("none", io.Discard)))
	if reduce {
		job := mapped(1, func([]byte, func(string, int64)) error { return nil })
		job.Reduce = nil
		p, err = job.Bind(in, mapreduce.Text[pair](mapreduce.Writer("none", io.Discard)))
	}
	require.NoError(tb, err)
	return p
}

// BenchmarkEmptyTasks measures the engine's time per task without user code. The target is 20 us.
func BenchmarkEmptyTasks(b *testing.B) {
	for _, reduce := range []bool{false, true} {
		b.Run(fmt.Sprintf("reduce=%t", reduce), func(b *testing.B) {
			const tasks = 20_000
			c := startB(b, Config{BlockSize: 1})
			cpu := cputime.Used()
			for b.Loop() {
				c.submit(b, emptyTasks(b, tasks, reduce), SubmitOptions{}).wait(b)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/tasks, "us/task")
			b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(b.N)/tasks, "cpu-us/task")
		})
	}
}

// BenchmarkEmulatedNodes runs the same WordCount on one node and on forty emulated nodes. Two
// attempts compute at a time on both. The target for forty nodes is 1.1 times the time of one.
func BenchmarkEmulatedNodes(b *testing.B) {
	text := prose(1, 1_500_000)
	for _, nodes := range []int{1, 40} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := startB(b, Config{Nodes: nodes, Racks: min(nodes, 4), MapSlots: 2, ReduceSlots: 2, Parallelism: 2})
			b.SetBytes(int64(len(text)))
			cpu := cputime.Used()
			for b.Loop() {
				c.submit(b, wordCount(b, text, 4), SubmitOptions{}).wait(b)
			}
			b.ReportMetric(float64((cputime.Used()-cpu).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

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
	root.RequestWithCustomSender(c.env.jobTracker, &join{pid: pid, spec: *spec.Load()}, pid)
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
		root.RequestWithCustomSender(c.env.jobTracker, h, pid)
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
				h.wait(b)
				b.StartTimer()
			}
		})
	}
}
