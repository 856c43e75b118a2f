package combine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Keys of about the maximum length of an entry, and longer ones, are returned in order, from the
// table of a merge and from its spills.
func TestLongestKeys(t *testing.T) {
	for name, limit := range map[string]int64{"in memory": 0, "spilled": 4 << 20} {
		for _, n := range []int{20, 200} { // below and above the limit of insertion sort
			t.Run(name, func(t *testing.T) { longestKeys(t, limit, n) })
		}
	}
}

func longestKeys(t *testing.T, limit int64, n int) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	want := map[string]int64{}
	cfg := config[int64]{Options: Options{Partitions: 1, Sum: true, Budget: memory.NewBudget(limit), SpillDir: t.TempDir(), largest: 1 << 20}}
	table := newTable(cfg)
	for i := range 2 * n {
		size := []int{7, 24, 65_533, 65_534, 65_535, 65_536, 70_000}[i/2%7]
		key := bytes.Repeat([]byte("a"), size)
		key[size-1] = byte('a' + rng.IntN(26)) // the rest is equal
		table.emit(key, int64(i))
		want[string(key)] += int64(i)
	}
	segments, stats, err := table.Finish()
	require.NoError(t, err)
	require.Equal(t, limit > 0 && n > 100, stats.Spills > 0)
	m := newMerge(cfg, segments)
	defer m.Close()
	var got []string
	for key, v, ok := m.Next(); ok; key, v, ok = m.Next() {
		got = append(got, string(key))
		require.Equal(t, want[string(key)], v)
	}
	require.NoError(t, m.Err())
	require.Len(t, got, len(want))
	require.True(t, slices.IsSortedFunc(got, strings.Compare))
	segments[0].Release()
}

// Regions of cells are as large as an offset can address, so only tables of gigabytes fill them;
// here a region has 64 cells. Keys have a common prefix, so they are read from their regions.
func TestCellsOfManyRegions(t *testing.T) {
	var a accumulator
	cfg := config[int64]{Options: Options{Partitions: 1, Sum: true, Pool: memory.NewPool(nil, 0)}}
	values := cfg.values()
	a.init(&cfg.Options, &values)
	defer a.close()
	var want []string
	for i := range 3000 {
		key := fmt.Sprintf("12345678%d", i*7919%3000)
		*(*int64)(a.next()) = 1
		a.put([]byte(key))
		want = append(want, key)
	}
	a.flush()
	slices.Sort(want)
	keys := a.keys()
	keys.chunk = 6
	s := keys.sort(a.len(), a.opt.Pool)
	defer a.opt.Pool.Put(s.slab)
	var got []string
	for i := range s.list {
		key, _ := s.pair(&s.list[i])
		got = append(got, string(key))
	}
	require.Equal(t, want, got)
}
