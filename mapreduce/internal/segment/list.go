package segment

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	firstBlock = 4 << 10
	largeBlock = 256 << 10
)

// list is the index of one partition in emission order: blocks of entries that
// double in size, so that a thousand partitions of a small job stay small.
type list struct {
	full  [][]entry
	cur   []entry
	n     int
	bytes int64 // of keys and values
}

// push appends an entry; it reports false if the budget refused a new block.
func (l *list) push(s *store, e entry, force bool) bool {
	if len(l.cur) == cap(l.cur) {
		size := min(max(firstBlock, 2*cap(l.cur)*entrySize), largeBlock)
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
