package dfs

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// silent returns an FS, and a function that makes a node report, which none does otherwise.
func silent(t *testing.T, nodes, replication int) (*FS, func(NodeID)) {
	f := open(t, Config{Nodes: racks(nodes, 1), Replication: replication, Announce: func(NodeID) {}})
	return f, func(id NodeID) {
		r, err := f.Changes(id)
		require.NoError(t, err)
		require.NoError(t, f.Report(r))
	}
}

// writing writes a file in the background until all goroutines wait; the channel gets its error.
func writing(f *FS, name, data string) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f.WriteFile(name, []byte(data)) }()
	synctest.Wait()
	return done
}

// news reports whether the node has replicas that its next report will add.
func (s *store) news() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.have) > 0
}

// If the node chosen for a new file dies before it reports, another node is chosen, until the file
// is stored.
func TestChosenNodesDie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, report := silent(t, 3, 1)
		done := make(chan error, 1)
		go func() { done <- f.WriteFile("x", []byte("data")) }()
		for range 2 {
			synctest.Wait()
			for id, s := range f.stores {
				if s.news() {
					require.NoError(t, f.Lose(id, true))
					break // meanwhile, the write may choose another node
				}
			}
		}
		synctest.Wait()
		for id := range f.stores {
			if f.ns.byID[id].alive {
				report(id)
			}
		}
		require.NoError(t, <-done)
		requireFile(t, f, "x", "data")
	})
}

// If nodes die before they report, only blocks that no other node has or will get are assigned to
// new nodes.
func TestOtherBlocksStayWhereTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var announced []NodeID
		f := open(t, Config{
			Nodes: racks(4, 1), Replication: 1, BlockSize: 4,
			Announce: func(id NodeID) { announced = append(announced, id) },
		})
		report := func(id NodeID) {
			r, err := f.Changes(id)
			require.NoError(t, err)
			require.NoError(t, f.Report(r))
		}
		done := writing(f, "x", "abcdefghijkl")
		var at []NodeID
		for id := range BlockID(3) {
			at = append(at, f.ns.blocks[id+1].placed[0].id)
		}
		report(at[0])
		announced = nil
		require.NoError(t, f.Lose(at[2], true))
		synctest.Wait()
		require.Equal(t, []NodeID{at[1]}, ids(f.ns.blocks[2].placed), "it is still awaited")
		other := f.ns.blocks[3].placed[0].id
		require.Contains(t, announced, other, "it is to report what it got")
		checkLoads(t, f)
		report(at[1])
		report(other)
		require.NoError(t, <-done)
		blocks := blocksOf(t, f, "x")
		for i, want := range []NodeID{at[0], at[1], other} {
			require.Equal(t, []NodeID{want}, blocks[i].Nodes)
		}
		require.Len(t, f.stores[at[0]].blocks, 1)
	})
}

// If the only node dies before it reports, a write waits for it to return, if nodes report through
// Announce. Otherwise the write fails at once.
func TestTheOnlyNodeDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, report := silent(t, 1, 1)
		done := writing(f, "x", "data")
		require.NoError(t, f.Lose("n0", true))
		synctest.Wait()
		require.Empty(t, done)
		report("n0")
		synctest.Wait()
		report("n0")
		require.NoError(t, <-done)
		requireFile(t, f, "x", "data")

		f = open(t, Config{Nodes: racks(1, 1), BlockSize: 4})
		w, err := f.Create("x")
		require.NoError(t, err)
		_, err = w.Write([]byte("data"))
		require.NoError(t, err)
		require.NoError(t, f.Lose("n0", true))
		began := time.Now()
		require.ErrorIs(t, w.Close(), ErrNoReplica)
		require.Zero(t, time.Since(began))
		require.Empty(t, f.ns.blocks)
	})
}

// A write waits at most Patience for each node that does not report, and then succeeds without it.
func TestSilentNodesAreNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, report := silent(t, 2, 2)
		began := time.Now()
		done := writing(f, "x", "data")
		report("n0")
		require.NoError(t, <-done)
		require.Equal(t, patience, time.Since(began))
		blocks := blocksOf(t, f, "x")
		require.Equal(t, []NodeID{"n0"}, blocks[0].Nodes)

		began = time.Now()
		err := f.WriteFile("y", []byte("data"))
		require.ErrorIs(t, err, ErrNoReplica)
		require.LessOrEqual(t, time.Since(began), maxRounds*patience)
		_, err = f.Stat("y")
		require.ErrorIs(t, err, fs.ErrNotExist)

		began = time.Now()
		require.NoError(t, f.Register("z", Bytes("z", []byte("local")), 0), "bytes of this machine need no node")
		require.Equal(t, patience, time.Since(began))
		requireFile(t, f, "z", "local")
	})
}

// While no node is alive, a write waits for one, at most as long as Patience. A registered file
// needs no node.
func TestNoNodeIsUpYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, report := silent(t, 1, 1)
		require.NoError(t, f.Lose("n0", true))
		require.NoError(t, f.Register("in", Bytes("in", []byte("abc")), 2))
		requireFile(t, f, "in", "abc")
		require.ErrorIs(t, f.WriteFile("x", []byte("a")), ErrNoReplica)

		done := writing(f, "x", "a")
		report("n0")
		synctest.Wait()
		report("n0")
		require.NoError(t, <-done)
		require.Equal(t, 2, heal(f), "the local file's blocks get their places")
		report("n0")
		blocks := blocksOf(t, f, "in")
		require.Equal(t, []NodeID{"n0"}, blocks[0].Nodes)
	})
}

// One changed bit, in any chunk of a block, makes each read that touches it fail: of the whole
// block, of the chunk, and across its edges.
func TestEveryByteIsVerified(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789abcdef"), 3*sumChunk/16+100)
	for _, at := range []int64{0, sumChunk - 1, sumChunk, 2*sumChunk + 7, 3 * sumChunk, int64(len(data)) - 1} {
		p := newPayload(bytes.Clone(data))
		p.data[at] ^= 4
		for _, part := range [][2]int64{{0, p.n}, {at, at + 1}, {max(0, at-sumChunk), at + 1}, {at, p.n}} {
			_, _, err := p.view(part[0], int(part[1]-part[0]))
			require.ErrorIs(t, err, ErrCorrupt, "byte %d, %v", at, part)
			require.ErrorIs(t, p.read(make([]byte, part[1]-part[0]), part[0]), ErrCorrupt)
		}
	}
}
