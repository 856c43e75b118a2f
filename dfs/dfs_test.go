package dfs

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// racks returns nodes n0, n1, …; node i is in rack i modulo the number of racks.
func racks(nodes, racks int) []Node {
	out := make([]Node, nodes)
	for i := range out {
		out[i] = Node{ID: NodeID(fmt.Sprintf("n%d", i)), Rack: fmt.Sprintf("r%d", i%racks)}
	}
	return out
}

func open(t testing.TB, cfg Config) *FS {
	t.Helper()
	f, err := New(cfg)
	require.NoError(t, err)
	return f
}

func blocksOf(t require.TestingT, f *FS, name string) []Block {
	blocks, err := f.Blocks(name)
	require.NoError(t, err)
	return blocks
}

func requireFile(t require.TestingT, f *FS, name, want string) {
	got, err := fs.ReadFile(f, name)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// heal makes the planned copies, and returns how many it made.
func heal(f *FS) (made int) {
	for _, c := range f.PlanHeal() {
		if f.Copy(c) == nil {
			made++
		}
	}
	return made
}

// noise returns n bytes from seed.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestConformsToIOFS(t *testing.T) {
	f := open(t, Config{Nodes: racks(4, 2), BlockSize: 7})
	for name, n := range map[string]int{"a": 0, "d/b": 1, "d/c": 7, "d/e/f": 100, "z": 14} {
		require.NoError(t, f.WriteFile(name, noise(1, n)))
	}
	require.NoError(t, f.Register("local/x", Bytes("x", noise(2, 50)), 9))
	require.NoError(t, fstest.TestFS(f, "a", "d/b", "d/c", "d/e/f", "z", "local/x"))
}

func TestConfigErrors(t *testing.T) {
	_, err := New(Config{Nodes: racks(2, 1), Replication: 3})
	require.ErrorIs(t, err, ErrReplication)
	_, err = New(Config{Nodes: []Node{{ID: "a"}, {ID: "a"}, {}}, BlockSize: -1, Replication: -1})
	for _, want := range []string{"twice", "no ID", "block size -1", "replication -1"} {
		require.ErrorContains(t, err, want)
	}
	_, err = New(Config{})
	require.ErrorContains(t, err, "no nodes")
}

func TestRegisteredBlocksSpreadEvenly(t *testing.T) {
	place := func(seed uint64) [][]NodeID {
		f := open(t, Config{Nodes: racks(10, 2), Seed: seed})
		require.NoError(t, f.Register("x", Bytes("x", make([]byte, 1000)), 1))
		blocks := blocksOf(t, f, "x")
		count := map[NodeID]int{}
		var all [][]NodeID
		for _, b := range blocks {
			all = append(all, b.Nodes)
			for _, n := range b.Nodes {
				count[n]++
			}
		}
		for n, c := range count {
			require.InDelta(t, 300, c, 3, "replicas on %v", n)
		}
		require.Len(t, count, 10)
		return all
	}
	require.Equal(t, place(1), place(1))
	require.NotEqual(t, place(1), place(2))
}

func TestFilesAreImmutable(t *testing.T) {
	f := open(t, Config{Nodes: racks(1, 1)})
	require.NoError(t, f.WriteFile("d/x", []byte("one")))
	_, err := f.Create("d/x")
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = f.Create("../x")
	require.ErrorIs(t, err, fs.ErrInvalid)
	require.ErrorIs(t, f.WriteFile("d/x/y", nil), fs.ErrExist)

	// If two writers create the same name, the first Close wins, and the other file leaves nothing.
	a, err := f.Create("d/y")
	require.NoError(t, err)
	b, err := f.Create("d/y")
	require.NoError(t, err)
	_, _ = a.Write([]byte("a"))
	_, _ = b.Write([]byte("bb"))
	require.NoError(t, a.Close())
	require.ErrorIs(t, b.Close(), fs.ErrExist)
	requireFile(t, f, "d/y", "a")
	require.Len(t, f.ns.byID["n0"].disk, 2)
}

func TestRegisterAllOrNone(t *testing.T) {
	f := open(t, Config{Nodes: racks(2, 1)})
	a, b := Bytes("a", []byte("a")), Bytes("b", []byte("b"))
	require.NoError(t, f.WriteFile("d/b", nil))
	require.ErrorIs(t, f.RegisterAll([]string{"d/a", "d/b"}, []Source{a, b}, 0), fs.ErrExist)
	entries, err := f.ReadDir("d")
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Empty(t, f.ns.blocks)
	require.NoError(t, f.RegisterAll([]string{"d/a", "d/c"}, []Source{a, b}, 0))
	requireFile(t, f, "d/c", "b")
	require.Error(t, f.Register("x", a, -1))
	require.ErrorIs(t, f.Register("/x", a, 0), fs.ErrInvalid)
}

func TestRenameAndRemove(t *testing.T) {
	f := open(t, Config{Nodes: racks(3, 1)})
	require.NoError(t, f.WriteFile("out/_temporary/part-0", []byte("zero")))
	require.NoError(t, f.WriteFile("out/_temporary/part-1", []byte("one")))
	require.NoError(t, f.Rename("out/_temporary", "final"))
	for _, taken := range []string{"final/part-1", "final", "final/part-1/below"} {
		require.ErrorIs(t, f.Rename("final/part-0", taken), fs.ErrExist, taken)
	}
	require.ErrorIs(t, f.Rename("final", "final/inside"), fs.ErrInvalid)
	require.ErrorIs(t, f.Rename("absent", "x"), fs.ErrNotExist)
	requireFile(t, f, "final/part-0", "zero") // a refused rename keeps both files
	requireFile(t, f, "final/part-1", "one")

	require.NoError(t, f.Remove("final"))
	require.ErrorIs(t, f.Remove("final"), fs.ErrNotExist)
	require.Empty(t, f.ns.blocks)
	for _, d := range f.ns.nodes {
		require.Zero(t, d.load)
		require.Empty(t, d.disk)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	f := open(t, Config{Nodes: racks(2, 1), BlockSize: 2})
	w, err := f.Create("x")
	require.NoError(t, err)
	_, err = w.Write([]byte("hello"))
	require.NoError(t, err)
	require.NoError(t, w.Abort())
	_, err = w.Write([]byte("more"))
	require.ErrorIs(t, err, fs.ErrClosed)
	require.ErrorIs(t, w.Close(), fs.ErrClosed)
	_, err = f.Stat("x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Empty(t, f.ns.blocks)
}

// If all replicas of a block are corrupt, the error names the file, the block and the nodes.
func TestAllReplicasAreCorrupt(t *testing.T) {
	f := open(t, Config{Nodes: racks(4, 2), BlockSize: 4})
	require.NoError(t, f.WriteFile("x", []byte("abcdefgh")))
	for at, part := range [][2]int64{{0, 1}, {2, 4}} { // within a block, and across blocks
		read := func() error {
			file, err := f.Open("x")
			require.NoError(t, err)
			_, err = file.(io.ReaderAt).ReadAt(make([]byte, part[1]), part[0])
			return err
		}
		b := blocksOf(t, f, "x")[at]
		for _, n := range b.Nodes {
			require.True(t, f.Damage(n, b.ID))
		}
		err := read()
		require.ErrorIs(t, err, ErrNoReplica)
		require.ErrorIs(t, err, ErrCorrupt)
		text := err.Error()
		require.Contains(t, text, "read x: ")
		require.Contains(t, text, b.ID.String())
		for _, n := range b.Nodes {
			require.Contains(t, text, "on "+string(n)+": ")
		}
		require.NotContains(t, text, "\n")
		require.ErrorIs(t, read(), ErrNoReplica, "all are dropped now")
		require.NoError(t, f.Remove("x"))
		require.NoError(t, f.WriteFile("x", []byte("abcdefgh")))
	}
}

// Healing copies blocks with one replica first, since the loss of one more node would destroy them.
func TestHealingInOrderOfNeed(t *testing.T) {
	f := open(t, Config{Nodes: racks(5, 1)})
	require.NoError(t, f.WriteFile("early", noise(1, 10)))
	require.NoError(t, f.WriteFile("late", noise(2, 10)))
	early, late := blocksOf(t, f, "early"), blocksOf(t, f, "late")
	drop := func(b Block, replicas int) {
		for _, n := range b.Nodes[:replicas] {
			f.drop(f.ns.blocks[b.ID], f.ns.byID[n], f.ns.byID[n].disk[b.ID])
		}
	}
	drop(early[0], 1)
	drop(late[0], 2)
	var order []BlockID
	for _, c := range f.PlanHeal() {
		order = append(order, c.Block)
	}
	require.Equal(t, []BlockID{late[0].ID, late[0].ID, early[0].ID}, order)
}

func TestBlockSizeFor(t *testing.T) {
	for _, c := range []struct {
		total int64
		slots int
		limit int64
		want  int64
	}{
		{0, 4, 0, minBlockSize},
		{1 << 30, 2, 0, DefaultBlockSize},
		{16 << 20, 2, 0, 2 << 20},
		{10 << 20, 0, 0, 2560 << 10},
		{1 << 40, 2, 1 << 20, 1 << 20},
		{100, 2, 1, 1},
	} {
		require.Equal(t, c.want, BlockSizeFor(c.total, c.slots, c.limit), "%+v", c)
	}
}
