package segment

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	firstBlock = 4 << 10
	leastBlock = 16 * entrySize
	largeBlock = 256 << 10
)

// firstBlockOf is the size of the first block of each of so many partitions: a block for
// all of them is at most a quarter of the least run.
func firstBlockOf(partitions int) int {
	n := leastRun / 8 / max(partitions, 1)
	return min(max(n, leastBlock), firstBlock) / entrySize * entrySize
}

// list is the index of one partition in emission order: blocks of entries that
// double in size, so that a thousand partitions of a small job stay small.
type list struct {
	full    [][]entry
	cur     []entry
	n       int   // entries
	records int64 // more than entries, where there are bundles, of which the open ones have none
	bytes   int64 // of keys and values
}

// push appends an entry; it reports false if the budget refused a new block.
func (l *list) push(s *store, e entry, first int, force bool) bool {
	if len(l.cur) == cap(l.cur) {
		size := min(max(first, 2*cap(l.cur)*entrySize), largeBlock)
		b, ok := s.indexBlock(size, force)
		if !ok {
			return false
		}
		if l.cur != nil {
			l.full = append(l.full, l.cur)
		}
		l.cur = memory.Cast[entry](b)[:0]
	}
	l.cur = append(l.cur, e)
	l.n++
	return true
}

func (l *list) blocks() [][]entry {
	if l.n == 0 {
		return nil
	}
	return append(slices.Clip(l.full), l.cur)
}
