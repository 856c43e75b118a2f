package mapreduce

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/cputime"
	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// benchSlots is the number of goroutines that run attempts in benchmarks.
const benchSlots = 2

// benchInput writes a generated file once a benchmark; TARRY_BENCH_MIB sets its
// size in MiB.
func benchInput(b *testing.B, kind gen.Kind) string {
	b.Helper()
	size := int64(64)
	if s := os.Getenv("TARRY_BENCH_MIB"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		require.NoError(b, err)
		size = n
	}
	dir := os.Getenv("TARRY_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	path := filepath.Join(dir, string(kind)+"-"+strconv.FormatInt(size, 10))
	if _, err := os.Stat(path); err != nil {
		require.NoError(b, gen.WriteFile(context.Background(), path, gen.Config{Kind: kind, Bytes: size << 20, Seed: 1},
			false))
	}
	return path
}

// benchDir returns a new directory, in TARRY_BENCH_DIR if that is set: it may
// name a file system in memory.
func benchDir(b *testing.B) string {
	b.Helper()
	base := os.Getenv("TARRY_BENCH_DIR")
	if base == "" {
		return b.TempDir()
	}
	dir := filepath.Join(base, "bench")
	b.Cleanup(func() { require.NoError(b, os.RemoveAll(dir)) })
	require.NoError(b, os.RemoveAll(dir))
	require.NoError(b, os.MkdirAll(dir, 0o700))
	return dir
}

// each runs fn(0) … fn(n-1) in benchSlots goroutines.
func each(b *testing.B, n int, fn func(i int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, benchSlots)
	for slot := range benchSlots {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && errs[slot] == nil; i = next.Add(1) - 1 {
				errs[slot] = fn(int(i))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(b, err)
	}
}

// benchPlan runs a plan as a cluster of benchSlots slots would.
func benchPlan(b *testing.B, memory *cluster.Memory, pool *cluster.Buffers, bind func(Destination) (*Plan, error)) *counter.Set {
	b.Helper()
	ctx := context.Background()
	dir := benchDir(b)
	p, err := bind(Dir(dir + "/out"))
	require.NoError(b, err)
	require.NoError(b, p.SetupJob())
	require.NoError(b, p.Prepare(ctx, cluster.PrepareOptions{Reduces: benchSlots}))
	splits, err := p.Splits(ctx, p.BlocksOf(32<<20))
	require.NoError(b, err)
	outs := make([]*cluster.MapOutput, len(splits))
	counters := make([]counter.Set, len(splits)+p.Reduces())
	each(b, len(splits), func(i int) (err error) {
		budget := memory.Sub()
		defer budget.Close()
		a := &cluster.MapAttempt{Index: i, Split: splits[i]}
		a.Resources = cluster.Resources{Budget: budget, Pool: pool, SpillDir: dir, Counters: &counters[i]}
		outs[i], err = p.RunMap(ctx, a)
		if err == nil && p.MapOnly() {
			err = p.CommitTask(a.ID())
		}
		return err
	})
	each(b, p.Reduces(), func(i int) error {
		next := 0
		budget := memory.Sub()
		defer budget.Close()
		a := &cluster.ReduceAttempt{Index: i}
		a.Resources = cluster.Resources{Budget: budget, Pool: pool, SpillDir: dir, Counters: &counters[len(splits)+i]}
		a.Next = func(context.Context) (cluster.Segment, error) {
			if next++; next > len(outs) {
				return cluster.Segment{}, io.EOF
			}
			return outs[next-1].Segment(i), nil
		}
		if err := p.RunReduce(ctx, a); err != nil {
			return err
		}
		return p.CommitTask(a.ID())
	})
	for _, o := range outs {
		o.Release()
	}
	require.NoError(b, p.CommitJob())
	total := new(counter.Set)
	for i := range counters {
		total.Merge(&counters[i])
	}
	return total
}

// benchJob measures a job over a generated file; share, if not 0, limits its memory to that
// fraction of the file's size.
func benchJob(b *testing.B, kind gen.Kind, share float64, bind func(src Source, d Destination) (*Plan, error)) {
	b.Helper()
	path := benchInput(b, kind)
	info, err := os.Stat(path)
	require.NoError(b, err)
	var memory *cluster.Memory
	if share > 0 {
		memory = cluster.NewMemory(int64(share * float64(info.Size())))
	}
	pool := cluster.NewBuffers(memory, 4<<30)
	defer pool.Close()
	b.SetBytes(info.Size())
	b.ReportAllocs()
	before := cputime.Used()
	var spilled int64
	for b.Loop() {
		src, err := File(path)
		require.NoError(b, err)
		c := benchPlan(b, memory, pool, func(d Destination) (*Plan, error) { return bind(src, d) })
		spilled = c.Get(counter.FileBytesWritten)
	}
	b.ReportMetric(float64(spilled)/(1<<20), "spilled-MiB/op")
	b.ReportMetric((cputime.Used()-before).Seconds()/float64(b.N), "cpu-s/op")
}
