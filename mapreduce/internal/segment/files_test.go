package segment

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Any number of spills share eight unnamed files. A new spill reuses the space that another has
// released, and the last spill removes the files.
func TestSpillsShareFiles(t *testing.T) {
	dir := t.TempDir()
	files := NewFiles(dir)
	rng := rand.New(rand.NewPCG(3, 4))
	type spill struct {
		*spillFile
		want []byte
	}
	var live []spill
	for range 150 {
		x, err := files.create()
		require.NoError(t, err)
		want := make([]byte, rng.IntN(3*extentSize))
		for i := range want {
			want[i] = byte(rng.Uint32())
		}
		n, err := x.Write(want)
		require.NoError(t, err)
		require.Equal(t, len(want), n)
		live = append(live, spill{x, want})
		if len(live) == 20 {
			i := rng.IntN(len(live))
			live[i].drop()
			live = append(live[:i], live[i+1:]...)
		}
	}
	for _, x := range live {
		got := make([]byte, len(x.want))
		_, err := x.ReadAt(got, 0)
		require.True(t, len(got) == 0 || err == nil, "%v", err)
		require.True(t, bytes.Equal(x.want, got))
		_, err = x.ReadAt(got[:min(len(got), 1)], x.size)
		require.True(t, len(got) == 0 || err != nil, "a spill ends")
	}
	extents := uint32(0)
	for _, f := range files.files {
		if f != nil {
			extents += f.end
		}
	}
	require.Less(t, extents, uint32(20*3+8*3*3), "extents are used again")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.LessOrEqual(t, len(left), maxFiles) // zero where an open file can be removed
	for _, x := range live {
		x.drop()
	}
	require.Equal(t, [maxFiles]*extentFile{}, files.files)
	left, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// A block of an earlier spill in the same extent is not mistaken for the block of a lost write.
func TestStaleBlockIsDamage(t *testing.T) {
	files := NewFiles(t.TempDir())
	hold, err := files.create() // keeps the file
	require.NoError(t, err)
	defer hold.drop()
	one := func(value string) *Segment {
		files.made = 0 // in the same file again
		w, err := NewSpillWriter(Config{Files: files, Budget: memory.NewBudget(0)})
		require.NoError(t, err)
		defer w.Close()
		w.file.id = uint64(value[0])
		w.w.id = w.file.id
		require.NoError(t, w.Add([]byte("key"), []byte(value)))
		require.NoError(t, w.EndPartition())
		s, _ := w.Spill()
		defer s.Release()
		return OfSpills([]*Spill{s}, 0)
	}
	old := one("a value")
	f := old.runs()[0].file.file.f
	block := make([]byte, old.runs()[0].size)
	_, err = f.ReadAt(block, 0)
	require.NoError(t, err)
	old.Release()
	late := one("b value")
	defer late.Release()
	_, err = f.WriteAt(block, 0)
	require.NoError(t, err)
	m := NewMerge(MergeConfig{}, []*Segment{late})
	defer m.Close()
	_, _, ok := m.Next()
	require.False(t, ok)
	var d *DamageError
	require.ErrorAs(t, m.Err(), &d)
	require.Equal(t, []int{0}, d.Inputs)
}
