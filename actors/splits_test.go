package actors

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Neighboring small files that are on all nodes share splits. A large file between them has its
// own.
func TestSmallFilesShareSplits(t *testing.T) {
	c := start(t, Config{Nodes: 2, Replication: 2, BlockSize: 1 << 20})
	var sources []mapreduce.Source
	for i := range 500 {
		text := fmt.Appendf(nil, "word%d\n", i%7)
		if i == 250 {
			text = make([]byte, 2<<20+1)
		}
		if i == 300 {
			text = nil
		}
		sources = append(sources, mapreduce.Bytes(fmt.Sprint("f", i), text))
	}
	job := mapreduce.MapOnly[[]byte, string]{Map: func(rec []byte, emit func(string)) error { return nil }}
	p, err := job.Bind(mapreduce.Lines(sources...), mapreduce.Text[string](mapreduce.Writer("-", io.Discard)))
	require.NoError(t, err)
	r := newRun(c.env, p)
	require.NoError(t, c.prepare(t.Context(), r, SubmitOptions{}))
	require.Less(t, len(r.splits), 25)
	at, large := 0, 0
	for _, s := range r.splits {
		if s.Source == 250 {
			at, large = 251, large+1
			require.Zero(t, s.Files*(s.Files-1))
			continue
		}
		require.Equal(t, at, s.Source, "in order, none left out")
		require.Positive(t, s.Files)
		require.Len(t, s.Hosts, 2)
		at += s.Files
	}
	require.Equal(t, 3, large)
	require.Equal(t, 500, at)
}

// splitTail cuts the last blocks into pieces that cover the input without gaps, each with the hosts
// of its block. The blocks before them stay whole.
func TestSplitTailCoversTheInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks []cluster.Block
		var at int64
		for _, n := range rapid.SliceOfN(rapid.Int64Range(1, 9), 0, 8).Draw(t, "lengths") {
			blocks = append(blocks, cluster.Block{Offset: at, Length: n, Hosts: []string{string(rune('a' + at))}})
			at += n
		}
		tail := rapid.IntRange(0, 9).Draw(t, "tail")
		size := rapid.Int64Range(1, 8).Draw(t, "size")
		got := splitTail(blocks, tail, size)
		whole := max(0, len(blocks)-tail)
		require.Equal(t, blocks[:whole], got[:whole])
		var end int64
		for _, b := range got {
			require.Equal(t, end, b.Offset)
			require.Positive(t, b.Length)
			end += b.Length
			for _, old := range blocks {
				if old.Offset <= b.Offset && b.Offset < old.Offset+old.Length {
					require.Equal(t, old.Hosts, b.Hosts)
					require.LessOrEqual(t, end, old.Offset+old.Length)
				}
			}
		}
		require.Equal(t, at, end)
		for _, b := range got[whole:] {
			require.LessOrEqual(t, b.Length, size)
		}
	})
}

// By default, blocks have a size that gives four of them to each slot that may compute: 256 KiB to
// 64 MiB, or to 128 MiB if maps combine values. If that is at least 64 MiB, as many last blocks as
// slots may compute are read in pieces of at most 16 MiB. One slot alone reads whole blocks.
func TestBlocksGiveEverySlotWork(t *testing.T) {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	for _, x := range []struct {
		slots, computing  int
		folds             bool
		configured, input int64
		size              int64
		inPieces          int
	}{
		{slots: 4, input: 16 * mib, size: 512 * kib},
		{slots: 4, computing: 2, input: 16 * mib, size: 2 * mib},
		{slots: 4, computing: 100, input: 16 * mib, size: 512 * kib},
		{slots: 4, input: 1, size: 256 * kib},
		{slots: 4, input: 9 * gib, size: 64 * mib, inPieces: 8},
		{slots: 4, computing: 2, input: 9 * gib, size: 64 * mib, inPieces: 2},
		{slots: 4, computing: 1, input: 9 * gib, size: 64 * mib},
		{slots: 4, configured: 1000, input: 9 * gib, size: 1000},
		{slots: 4, folds: true, input: 16 * mib, size: 512 * kib},
		{slots: 4, computing: 2, folds: true, input: 511 * mib, size: 64 * mib, inPieces: 2},
		{slots: 4, computing: 2, folds: true, input: 600 * mib, size: 75 * mib, inPieces: 2},
		{slots: 4, folds: true, input: 9 * gib, size: 128 * mib, inPieces: 8},
		{slots: 4, folds: true, configured: 1000, input: 9 * gib, size: 1000},
	} {
		c := start(t, Config{Nodes: 2, MapSlots: x.slots, Parallelism: x.computing, BlockSize: x.configured})
		size, inPieces := c.blockSize(x.input, x.folds)
		require.Equal(t, x.size, size, "%+v", x)
		require.Equal(t, x.inPieces, inPieces, "%+v", x)
	}
	for size, pieces := range map[int64]int{0: 1, 64 * mib: 4, 75 * mib: 5, 128 * mib: 8} {
		require.Len(t, cutBlock(cluster.Block{Length: size}, tailPiece), pieces)
	}
}

// files returns n sources of the given number of bytes each.
func files(n, size int) (list []mapreduce.Source) {
	for i := range n {
		list = append(list, mapreduce.Bytes(fmt.Sprint("f", i), make([]byte, size)))
	}
	return list
}

// countFiles binds job to the sources and discards its output.
func countFiles(t *testing.T, sources []mapreduce.Source, job countJob) *mapreduce.Plan {
	t.Helper()
	p, err := job.Bind(mapreduce.Lines(sources...), mapreduce.Text[pair](mapreduce.Writer("-", io.Discard)))
	require.NoError(t, err)
	return p
}

// Until a job ends, the cluster reserves memory for its bookkeeping: twice 350 bytes per file, and
// 250 per pair of map and reduce.
func TestAccountsAreCharged(t *testing.T) {
	for _, x := range []struct{ nodes, files, size, reduces, splits int }{
		{1, 1, 1, 1, 1},
		{1, 504, 100, 5, 84}, // six files share a split
		{2, 7, 100, 5, 4},
		{1, 3, 250_000, 4, 9},
	} {
		cfg := Config{Nodes: x.nodes, Replication: 1, BlockSize: 100_000, MapSlots: 1, ReduceSlots: 1, IdleMemory: -1}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			h := c.submit(t, countFiles(t, files(x.files, x.size), slow(x.reduces)), SubmitOptions{})
			var splits int
			var fixed int64
			require.NoError(t, c.ask(onTurn(func(*jobTracker) error { // the JobTracker writes them
				splits, fixed = len(h.run.splits), h.run.fixed
				return nil
			})))
			require.Equal(t, x.splits, splits, "%+v", x)
			require.Equal(t, int64(2*(350*x.files+250*splits*x.reduces)), fixed, "%+v", x)
			require.GreaterOrEqual(t, c.env.memory.Used(), fixed)
			h.wait(t)
			c.requireNothingHeld(t)
		})
	}
}

// A job's files take on the heap at most half of the memory reserved for them, because a heap may
// double before it is collected. They take at least a sixteenth: a larger reserve would make
// attempts spill for nothing.
func TestChargesMatchTheHeap(t *testing.T) {
	c := start(t, Config{Nodes: 2, Replication: 1, BlockSize: 1 << 20, MapSlots: 1, ReduceSlots: 1})
	var fixed int64
	var growths []int64
	for range 3 { // what earlier tests left on the heap may go in one of them
		sources := files(5000, 10)
		before := heap()
		r := newRun(c.env, countFiles(t, sources, counting(1)))
		require.NoError(t, c.prepare(t.Context(), r, SubmitOptions{}))
		growths, fixed = append(growths, heap()-before), r.fixed
	}
	slices.Sort(growths)
	grew := growths[1]
	require.LessOrEqual(t, 2*grew, fixed)
	require.LessOrEqual(t, fixed, 16*grew)
}

// If the memory budget does not suffice for all slots, fewer attempts compute at the same time.
func TestMemoryBoundsComputing(t *testing.T) {
	for _, c := range []struct {
		memory          int64
		slots, parallel int
		want            int
	}{
		{0, 64, 0, 0},
		{0, 64, 3, 3},
		{1 << 30, 2, 0, 0},
		{64 << 20, 64, 0, 8},
		{64 << 20, 64, 4, 4},
		{64 << 20, 64, 100, 8},
		{1, 1, 0, 0},
		{1, 2, 0, 2},
	} {
		cfg := Config{Memory: c.memory, MapSlots: c.slots, ReduceSlots: c.slots, Parallelism: c.parallel}.withDefaults()
		require.Equal(t, c.want, cfg.computing(), "%+v", c)
	}
}

// By default a job has a reduce for each 64 MiB of its input, rounded up to a power of two and at
// most 64.
func TestReducesFollowTheInput(t *testing.T) {
	const r = 64 << 20
	for input, want := range map[int64]int64{0: 1, 1: 1, r: 1, r + 1: 2, 2*r + 1: 4, 4 * r: 4, 33 * r: 64, 64 * r: 64, 64*r + 1: 64} {
		src := mapreduce.Source{Data: sized{size: input}}
		p, err := counting(0).Bind(mapreduce.Lines(src), mapreduce.Text[pair](mapreduce.Writer("-", io.Discard)))
		require.NoError(t, err)
		require.Equal(t, input, p.Job().InputBytes())
		require.EqualValues(t, want, p.Job().UsualReduces(), input)
	}
}

// sized is a source of which only the size is asked.
type sized struct {
	dfs.Source
	size int64
}

func (s sized) Size() int64 { return s.size }

// endless is a source that reports 2^62 bytes, too many to be cut into splits.
type endless struct{ dfs.Source }

func (endless) Size() int64                           { return 1 << 62 }
func (endless) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }
func (endless) View(_ int64, n int) ([]byte, func(), error) {
	if n > 1<<20 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return make([]byte, n), func() {}, nil
}

// Submit and RunLocal reject a source of 2^62 bytes before they split it, and advise larger blocks.
func TestSourceOfAbsurdSize(t *testing.T) {
	c := start(t, Config{Nodes: 2})
	for _, splitSize := range []int64{0, 1000} {
		src, err := mapreduce.Stored(endless{dfs.Bytes("endless", nil)})
		require.NoError(t, err)
		in := mapreduce.Lines(src)
		if splitSize > 0 {
			in = in.SplitSize(splitSize)
		}
		job := mapreduce.MapOnly[[]byte, []byte]{Map: func([]byte, func([]byte)) error { return nil }}
		bind := func() *mapreduce.Plan {
			p, err := job.Bind(in, mapreduce.Raw[[]byte](mapreduce.Writer("nowhere", io.Discard)))
			require.NoError(t, err)
			return p
		}
		_, err = c.Submit(t.Context(), bind(), SubmitOptions{})
		require.ErrorContains(t, err, "endless: 4611686018427387904 bytes are ")
		require.ErrorContains(t, err, "use larger blocks")
		p := bind()
		_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{Blocks: p.Job().BlocksOf(1 << 20)})
		require.ErrorContains(t, err, "endless: 4611686018427387904 bytes are more than 1048576 splits: use larger blocks or splits")
	}
}
