package index

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// First returns what a search of all replicas finds, after any launches and requeues: the lowest
// pending map with a replica in the group. The job's bit is set for groups that have, or recently
// had, such a map. A job that has ended has no bits.
func TestLevelAgainstSearching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const maps, nodes, groups, job = 12, 9, 5, 70
		groupOf := func(n int32) int32 { return n%(groups+1) - 1 } // one node in six has no group
		offsets, places := []int32{0}, []int32{}
		for range maps {
			for range rapid.IntRange(0, 3).Draw(t, "replicas") {
				places = append(places, int32(rapid.IntRange(0, nodes-1).Draw(t, "node")))
			}
			offsets = append(offsets, int32(len(places)))
		}
		var near BitMatrix
		near.Widen(100)
		near.Set(2, job+1) // of another job
		x := NewLevel(offsets, places, groups, &near, job, groupOf)
		pending := NewFullTaskSet(maps)
		least := func(group int32) int32 {
			for m := range int32(maps) {
				for _, n := range places[offsets[m]:offsets[m+1]] {
					if pending.Has(m) && groupOf(n) == group {
						return m
					}
				}
			}
			return -1
		}
		for range 60 {
			m := int32(rapid.IntRange(0, maps-1).Draw(t, "map"))
			if pending.Has(m) {
				pending.Remove(m)
			} else {
				pending.Add(m)
				for _, n := range places[offsets[m]:offsets[m+1]] {
					if g := groupOf(n); g >= 0 {
						x.Reopen(g, m)
					}
				}
			}
			group := int32(rapid.IntRange(0, groups-1).Draw(t, "group"))
			want := least(group)
			if want >= 0 {
				require.True(t, near.Has(group, job))
			}
			require.Equal(t, want, x.First(group, &pending))
			require.Equal(t, want >= 0, near.Has(group, job), "who was asked in vain is not asked again")
		}
		x.Reopen(groups-1, 0) // the group may have no map of the job
		x.Leave()
		for g := range int32(groups) {
			require.False(t, near.Has(g, job))
		}
		require.True(t, near.Has(2, job+1))
		var none Level
		none.Leave()
	})
}

// Append lists at most the requested number of a group's pending maps, lowest first. Each occurs
// once, even if several of its replicas are in the group.
func TestLevelListsMaps(t *testing.T) {
	var near BitMatrix
	near.Widen(1)
	x := NewLevel([]int32{0, 2, 3, 5, 6}, []int32{0, 1, 0, 1, 1, 5}, 2, &near, 0, func(n int32) int32 { return n / 5 })
	pending := NewFullTaskSet(4)
	list := func(most int, group int32) []int32 { return x.Append([]int32{9}, most, group, &pending) }
	require.Equal(t, []int32{9, 0, 1}, list(2, 0))
	require.Equal(t, []int32{9, 0, 1, 2}, list(3, 0))
	require.Equal(t, []int32{9, 0, 1, 2}, list(4, 0))
	require.Equal(t, []int32{9, 3}, list(1, 1))
	require.Equal(t, []int32{9}, list(0, 0))
	pending.Remove(0)
	require.Equal(t, []int32{9, 1}, list(1, 0))
	pending.Remove(3)
	require.Equal(t, []int32{9}, list(1, 1))
}

// Widen at least doubles a BitMatrix that is too small, so that growing often is cheap.
func TestBitMatrixWidens(t *testing.T) {
	var m BitMatrix
	for column, stride := range map[int32]int{0: 1, 63: 1, 64: 2, 127: 2, 640: 11} {
		m = BitMatrix{}
		m.Widen(column)
		require.Equal(t, stride, m.stride, column)
	}
	m = BitMatrix{}
	m.Widen(63)
	m.Widen(64)
	m.Widen(127)
	require.Equal(t, 2, m.stride)
	m.Widen(128)
	require.Equal(t, 4, m.stride)
	m.Set(1, 3)
	require.False(t, m.Has(2, 3))
	m.Clear(2, 3)
	require.Len(t, m.words, 8)
}

// Ranks are ordered by class, then value, then tie; reversed ranks have the opposite order.
func TestRanks(t *testing.T) {
	order := []Rank{{9, 9, -1}, {-1, 5, 0}, {0, 1, 0}, {0, 2, 0}, {2, 0, 0}, {0, 0, 1}}
	for i, a := range order {
		for k, b := range order {
			require.Equal(t, []bool{i < k, i > k}, []bool{a.Before(b), b.Before(a)})
			require.Equal(t, []bool{i < k, i > k}, []bool{b.Reversed().Before(a.Reversed()), a.Reversed().Before(b.Reversed())})
		}
	}
}

// Remove and Move panic if the list does not have the element.
func TestElementThatAListLacks(t *testing.T) {
	var l List[int]
	l.Insert(Rank{}, 1)
	require.Panics(t, func() { l.Remove(Rank{Value: 1}) })
	require.Panics(t, func() { l.Move(Rank{Value: 1}, Rank{Value: 2}) })
	require.Panics(t, func() { l.Remove(Rank{Value: -1}) })
}
