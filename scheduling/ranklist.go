package scheduling

import "cmp"

// rank is a place in an order: smaller goes first, by class, then value, then tie, which must be
// unique within a list. Values are finite numbers.
type rank struct {
	class int32
	value float64
	tie   int64
}

// compare is negative if r goes before s.
func (r rank) compare(s rank) int {
	if c := cmp.Compare(r.class, s.class); c != 0 {
		return c
	}
	if r.value != s.value {
		if r.value < s.value {
			return -1
		}
		return 1
	}
	return cmp.Compare(r.tie, s.tie)
}

// reversed is the place that r has if the order is turned around.
func (r rank) reversed() rank { return rank{class: -r.class, value: -r.value, tie: -r.tie} }

// blockSize bounds the elements that one insertion moves.
const blockSize = 64

type ranked[T any] struct {
	rank
	v T
}

// rankList keeps elements sorted by rank in blocks of at most blockSize: inserting and removing are
// a binary search over the blocks and a move within one; walking is a plain scan, so that passing
// over an element costs next to nothing. Invariant: no block is empty.
type rankList[T any] struct {
	blocks [][]ranked[T]
	n      int
	spare  [][]ranked[T] // emptied blocks, for reuse
}

// block finds the block that r belongs to.
func (l *rankList[T]) block(r rank) int {
	lo, hi := 0, len(l.blocks)-1 // the last block whose first element is not after r
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if l.blocks[mid][0].compare(r) <= 0 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// place finds the index of the first element of b not before r.
func place[T any](b []ranked[T], r rank) int {
	lo, hi := 0, len(b)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if b[mid].compare(r) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// insert adds v at r.
func (l *rankList[T]) insert(r rank, v T) {
	l.n++
	if len(l.blocks) == 0 {
		l.blocks = append(l.blocks, append(l.fresh(), ranked[T]{r, v}))
		return
	}
	k := l.block(r)
	b := l.blocks[k]
	if len(b) == blockSize {
		half := append(l.fresh(), b[blockSize/2:]...)
		l.blocks = append(l.blocks, nil)
		copy(l.blocks[k+2:], l.blocks[k+1:])
		l.blocks[k], l.blocks[k+1] = b[:blockSize/2], half
		if half[0].compare(r) <= 0 {
			k++
		}
		b = l.blocks[k]
	}
	i := place(b, r)
	b = append(b, ranked[T]{})
	copy(b[i+1:], b[i:])
	b[i] = ranked[T]{r, v}
	l.blocks[k] = b
}

// fresh returns an empty block with room for blockSize elements.
func (l *rankList[T]) fresh() []ranked[T] {
	if k := len(l.spare) - 1; k >= 0 {
		b := l.spare[k]
		l.spare = l.spare[:k]
		return b[:0]
	}
	return make([]ranked[T], 0, blockSize)
}

// remove takes out the element at r, which must be there.
func (l *rankList[T]) remove(r rank) {
	k := l.block(r)
	b := l.blocks[k]
	i := place(b, r)
	if i == len(b) || b[i].rank != r {
		panic("scheduling: rank list has lost an element")
	}
	l.n--
	copy(b[i:], b[i+1:])
	b[len(b)-1] = ranked[T]{}
	b = b[:len(b)-1]
	l.blocks[k] = b
	if len(b) == 0 {
		l.spare = append(l.spare, b)
		l.blocks = append(l.blocks[:k], l.blocks[k+1:]...)
	}
}

// move takes the element at from to to. It is the hot path of every launch: while the element stays
// within its block, only the elements that it passes move.
func (l *rankList[T]) move(from, to rank) {
	k := l.block(from)
	b := l.blocks[k]
	i := place(b, from)
	if i == len(b) || b[i].rank != from {
		panic("scheduling: rank list has lost an element")
	}
	e := ranked[T]{to, b[i].v}
	lastFits := k == len(l.blocks)-1 || to.compare(l.blocks[k+1][0].rank) < 0
	firstFits := k == 0 || to.compare(b[0].rank) >= 0
	if !lastFits || !firstFits {
		l.remove(from)
		l.insert(to, e.v)
		return
	}
	for i+1 < len(b) && b[i+1].compare(to) < 0 {
		b[i] = b[i+1]
		i++
	}
	for i > 0 && b[i-1].compare(to) > 0 {
		b[i] = b[i-1]
		i--
	}
	b[i] = e
}

// spot is where an element is in a list, if it is in.
type spot struct {
	rank
	in bool
}

// put moves v from s to r, or takes it in or out.
func (l *rankList[T]) put(s *spot, in bool, r rank, v T) {
	switch {
	case in && !s.in:
		l.insert(r, v)
	case in && r != s.rank:
		l.move(s.rank, r)
	case !in && s.in:
		l.remove(s.rank)
	}
	s.rank, s.in = r, in
}

// clear takes all elements out.
func (l *rankList[T]) clear() {
	for i, b := range l.blocks {
		clear(b)
		l.spare = append(l.spare, b)
		l.blocks[i] = nil
	}
	l.blocks, l.n = l.blocks[:0], 0
}

// append adds v behind all others. The blocks are left with room for insertions.
func (l *rankList[T]) append(s *spot, r rank, v T) {
	k := len(l.blocks) - 1
	if k < 0 || len(l.blocks[k]) >= blockSize*3/4 {
		l.blocks = append(l.blocks, l.fresh())
		k++
	}
	l.blocks[k] = append(l.blocks[k], ranked[T]{r, v})
	l.n++
	s.rank, s.in = r, true
}

// cursor walks a rankList; a change of the list ends the walk.
type cursor struct{ block, i int }

// next returns the next element, false at the end.
func (l *rankList[T]) next(at *cursor) (v T, ok bool) {
	if at.block >= len(l.blocks) {
		return v, false
	}
	b := l.blocks[at.block]
	v = b[at.i].v
	if at.i++; at.i == len(b) {
		at.block, at.i = at.block+1, 0
	}
	return v, true
}
