package main

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/bench"
	"github.com/tarry-mr/tarry/jobs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// tinyJobs measures jobs of one map, one reduce and three lines on one running cluster. First it
// runs them one after the other, for the latency. Then several clients submit them for the time
// sustained, for the rate and for the memory and goroutines that they leave behind.
func tinyJobs(ctx context.Context, sustained time.Duration) (figures []bench.Figure, err error) {
	cluster, err := actors.Start(actors.Config{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	const warmUp, timed = 1000, 2000 // the cluster remembers ended jobs: fill that memory first
	if _, err := oneByOne(ctx, cluster, warmUp); err != nil {
		return nil, err
	}
	latencies, err := oneByOne(ctx, cluster, timed)
	if err != nil {
		return nil, err
	}
	slices.Sort(latencies)
	heap, goroutines := settled()
	n, err := atOnce(ctx, cluster, sustained)
	if err != nil {
		return nil, err
	}
	heapAfter, goroutinesAfter := settled()
	return []bench.Figure{
		{Name: bench.TinyMedian, Value: latencies[timed/2], Unit: "ms"},
		{Name: bench.TinyWorst, Value: latencies[timed*99/100], Unit: "ms"},
		{Name: bench.TinyRate, Value: float64(n) / sustained.Seconds(), Unit: "jobs/s"},
		{
			Name: bench.TinyGrowth, Value: (heapAfter - heap) / float64(max(n, 1)),
			Unit: "bytes a job",
		},
		{
			Name: bench.GoroutinesLeft, Value: float64(max(0, goroutinesAfter-goroutines)),
			Unit: "goroutines",
		},
	}, nil
}

// oneByOne runs n tiny jobs, one after the other, and returns the milliseconds that each took.
func oneByOne(ctx context.Context, cluster *actors.Cluster, n int) ([]float64, error) {
	latencies := make([]float64, n)
	for i := range latencies {
		start := time.Now()
		if err := tinyJob(ctx, cluster); err != nil {
			return nil, err
		}
		latencies[i] = float64(time.Since(start).Nanoseconds()) / 1e6
	}
	return latencies, nil
}

// atOnce runs tiny jobs, four at a time, for the time sustained, and returns their number.
func atOnce(ctx context.Context, cluster *actors.Cluster, sustained time.Duration) (int, error) {
	const clients = 4
	counts, errs := make([]int, clients), make([]error, clients)
	end := time.Now().Add(sustained)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for time.Now().Before(end) && errs[c] == nil {
				errs[c] = tinyJob(ctx, cluster)
				counts[c]++
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum, errors.Join(errs...)
}

// tinyJob counts the words of three lines with one map and one reduce.
func tinyJob(ctx context.Context, cluster *actors.Cluster) error {
	lines := [][]byte{[]byte("to tarry"), []byte("to wait a moment"), []byte("before going on")}
	job := jobs.WordCount()
	job.Reducers = 1
	var result mapreduce.Collected[jobs.Count]
	plan, err := job.Bind(mapreduce.Slice(lines), result.Output())
	if err != nil {
		return err
	}
	return finish(ctx, cluster, plan)
}

// settled waits for goroutines that are about to end. It then returns the bytes of live objects on
// the heap and the number of goroutines.
func settled() (heap float64, goroutines int) {
	goroutines = runtime.NumGoroutine()
	for range 100 {
		time.Sleep(5 * time.Millisecond)
		goroutines = min(goroutines, runtime.NumGoroutine())
	}
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc), goroutines
}
