package actors

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/cputime"
	"github.com/tarry-mr/tarry/mapreduce"
)

// startB starts a cluster for a benchmark.
func startB(b *testing.B, cfg Config) *Cluster {
	b.Helper()
	c, err := Start(cfg)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, c.Close()) })
	return c
}

// runB runs a plan to its end.
func runB(b *testing.B, c *Cluster, p *mapreduce.Plan, o SubmitOptions) Result {
	b.Helper()
	h, err := c.Submit(context.Background(), p, o)
	require.NoError(b, err)
	r, err := h.Wait(context.Background())
	require.NoError(b, err)
	return r
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
				runB(b, c, wordCount(b, "a b a\nc a\n", 1), SubmitOptions{})
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
				runB(b, c, wordCount(b, "a b a\nc a\n", 1), SubmitOptions{})
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
	if !reduce {
		job := mapreduce.MapOnly[[]byte, string]{Map: func([]byte, func(string)) error { return nil }}
		p, err := job.Bind(in, mapreduce.Text[string](mapreduce.Writer("none", io.Discard)))
		require.NoError(tb, err)
		return p
	}
	job := mapreduce.Job[[]byte, string, int64, pair]{
		Map:      func([]byte, func(string, int64)) error { return nil },
		Sum:      true,
		Reducers: 1,
	}
	p, err := job.Bind(in, mapreduce.Text[pair](mapreduce.Writer("none", io.Discard)))
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
				runB(b, c, emptyTasks(b, tasks, reduce), SubmitOptions{})
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/tasks, "us/task")
			b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(b.N)/tasks, "cpu-us/task")
		})
	}
}

// BenchmarkEmulatedNodes runs the same WordCount on one node and on forty emulated nodes. Two
// attempts compute at a time on both. The target for forty nodes is 1.1 times the time of one.
func BenchmarkEmulatedNodes(b *testing.B) {
	text := []byte(prose(1, 1_500_000))
	for _, nodes := range []int{1, 40} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			c := startB(b, Config{Nodes: nodes, Racks: min(nodes, 4), MapSlots: 2, ReduceSlots: 2, Parallelism: 2})
			b.SetBytes(int64(len(text)))
			cpu := cputime.Used()
			for b.Loop() {
				p, err := counting(4).Bind(mapreduce.Lines(mapreduce.Bytes("text", text)), mapreduce.Text[pair](mapreduce.Writer("none", io.Discard)))
				require.NoError(b, err)
				runB(b, c, p, SubmitOptions{})
			}
			b.ReportMetric(float64((cputime.Used()-cpu).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}
