package actors

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// files returns n sources of the given number of bytes each.
func files(n, size int) (list []mapreduce.Source) {
	for i := range n {
		list = append(list, mapreduce.Bytes(fmt.Sprint("f", i), make([]byte, size)))
	}
	return list
}

// countFiles binds job to the sources and discards its output.
func countFiles(t *testing.T, sources []mapreduce.Source, job mapreduce.Job[[]byte, string, int64, pair]) *mapreduce.Plan {
	t.Helper()
	p, err := job.Bind(mapreduce.Lines(sources...), mapreduce.Text[pair](mapreduce.Writer("-", io.Discard)))
	require.NoError(t, err)
	return p
}

// inUse returns the size of the heap after a collection, in bytes.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Until a job ends, the cluster reserves memory for its bookkeeping: twice 350 bytes per file, 850
// per file with blocks of its own, and 250 per pair of map and reduce.
func TestAccountsAreCharged(t *testing.T) {
	for _, x := range []struct{ nodes, files, size, reduces, own int }{
		{1, 1, 1, 1, 1},
		{1, 504, 100, 5, 84}, // six files share a split and form one file of the block store
		{2, 7, 100, 5, 7},    // on two nodes, each file has blocks of its own
		{1, 3, 250_000, 4, 3},
	} {
		cfg := Config{Nodes: x.nodes, Replication: 1, BlockSize: 100_000, MapSlots: 1, ReduceSlots: 1, IdleMemory: -1}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			h := c.submit(t, countFiles(t, files(x.files, x.size), slow(x.reduces)), SubmitOptions{})
			own, err := c.FS().ReadDir(h.run.input)
			require.NoError(t, err)
			require.Len(t, own, x.own, "%+v", x)
			var splits int
			var fixed int64
			require.NoError(t, c.ask(onTurn(func(*jobTracker) error { // the JobTracker writes them
				splits, fixed = len(h.run.splits), h.run.fixed
				return nil
			})))
			require.Equal(t, int64(2*(350*x.files+850*x.own+250*splits*x.reduces)), fixed, "%+v", x)
			require.GreaterOrEqual(t, c.env.memory.Used(), fixed)
			h.wait(t)
			c.requireNothingHeld(t)
		})
	}
}

// A rejected job holds no memory of the budget and no blocks of the store.
func TestRefusedJobIsNotCharged(t *testing.T) {
	bubble(t, Config{IdleMemory: -1}, func(t *testing.T, c *Cluster) {
		_, err := c.Submit(t.Context(), countFiles(t, files(9, 10), counting(2)), SubmitOptions{MaxAttempts: 1000})
		require.Error(t, err)
		require.Zero(t, c.env.memory.Used())
		left, err := c.FS().ReadDir(".")
		require.NoError(t, err)
		for _, dir := range left {
			list, err := c.FS().ReadDir(dir.Name())
			require.NoError(t, err)
			require.Empty(t, list)
		}
	})
}

// A job's files take on the heap at most half of the memory reserved for them, because a heap may
// double before it is collected. They take at least a sixteenth: a larger reserve would make
// attempts spill for nothing.
func TestChargesMatchTheHeap(t *testing.T) {
	c := start(t, Config{Nodes: 2, Replication: 1, BlockSize: 1 << 20, MapSlots: 1, ReduceSlots: 1})
	sources := files(5000, 10)
	before := inUse()
	r := newRun(c.env, countFiles(t, sources, counting(1)), "u", "_jobs/test")
	require.NoError(t, c.prepare(t.Context(), r, SubmitOptions{}))
	grew := inUse() - before
	require.LessOrEqual(t, 2*grew, r.fixed)
	require.LessOrEqual(t, r.fixed, 16*grew)
	require.NoError(t, c.env.fs.Remove(r.input))
}
