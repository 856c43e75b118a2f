// Package index holds the sorted lists, sets and tables that make the Core's questions cheap: which
// job is next, which of its tasks is pending, which has data on a node. They know nothing of jobs
// or nodes but their numbers. None is safe for concurrent use.
package index

import "cmp"

// Rank is a place in an order: smaller goes first, by class, then value, then tie, which must be
// unique within a list. Values are finite numbers.
type Rank struct {
	Class int32
	Value float64
	Tie   int64
}

// Compare is negative if r goes before s.
func (r Rank) Compare(s Rank) int {
	if c := cmp.Compare(r.Class, s.Class); c != 0 {
		return c
	}
	if r.Value != s.Value {
		if r.Value < s.Value {
			return -1
		}
		return 1
	}
	return cmp.Compare(r.Tie, s.Tie)
}

// Reversed is the place that r has if the order is turned around.
func (r Rank) Reversed() Rank { return Rank{Class: -r.Class, Value: -r.Value, Tie: -r.Tie} }

// blockSize bounds the elements that one insertion moves.
const blockSize = 64

type ranked[T any] struct {
	Rank
	v T
}

// List keeps elements sorted by rank in blocks of at most blockSize: inserting and removing are
// a binary search over the blocks and a move within one; walking is a plain scan, so that passing
// over an element costs next to nothing. Invariant: no block is empty.
type List[T any] struct {
	blocks [][]ranked[T]
	n      int
	spare  [][]ranked[T] // emptied blocks, for reuse
}

// Len is the number of elements.
func (l *List[T]) Len() int { return l.n }

// block finds the block that r belongs to.
func (l *List[T]) block(r Rank) int {
	lo, hi := 0, len(l.blocks)-1 // the last block whose first element is not after r
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if l.blocks[mid][0].Compare(r) <= 0 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// search finds the index of the first element of b not before r.
func search[T any](b []ranked[T], r Rank) int {
	lo, hi := 0, len(b)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if b[mid].Compare(r) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Insert adds v at r.
func (l *List[T]) Insert(r Rank, v T) {
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
		if half[0].Compare(r) <= 0 {
			k++
		}
		b = l.blocks[k]
	}
	i := search(b, r)
	b = append(b, ranked[T]{})
	copy(b[i+1:], b[i:])
	b[i] = ranked[T]{r, v}
	l.blocks[k] = b
}

// fresh returns an empty block with room for blockSize elements.
func (l *List[T]) fresh() []ranked[T] {
	if k := len(l.spare) - 1; k >= 0 {
		b := l.spare[k]
		l.spare = l.spare[:k]
		return b[:0]
	}
	return make([]ranked[T], 0, blockSize)
}

// Remove takes out the element at r, which must be there.
func (l *List[T]) Remove(r Rank) {
	k := l.block(r)
	b := l.blocks[k]
	i := search(b, r)
	if i == len(b) || b[i].Rank != r {
		panic("index: the list has lost an element")
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

// Move takes the element at from to to. It is the hot path of every launch: while the element stays
// within its block, only the elements that it passes Move.
func (l *List[T]) Move(from, to Rank) {
	k := l.block(from)
	b := l.blocks[k]
	i := search(b, from)
	if i == len(b) || b[i].Rank != from {
		panic("index: the list has lost an element")
	}
	e := ranked[T]{to, b[i].v}
	lastFits := k == len(l.blocks)-1 || to.Compare(l.blocks[k+1][0].Rank) < 0
	firstFits := k == 0 || to.Compare(b[0].Rank) >= 0
	if !lastFits || !firstFits {
		l.Remove(from)
		l.Insert(to, e.v)
		return
	}
	for i+1 < len(b) && b[i+1].Compare(to) < 0 {
		b[i] = b[i+1]
		i++
	}
	for i > 0 && b[i-1].Compare(to) > 0 {
		b[i] = b[i-1]
		i--
	}
	b[i] = e
}

// Spot is where an element is in a list, if it is in.
type Spot struct {
	Rank
	In bool
}

// Put moves v from s to r, or takes it in or out.
func (l *List[T]) Put(s *Spot, in bool, r Rank, v T) {
	switch {
	case in && !s.In:
		l.Insert(r, v)
	case in && r != s.Rank:
		l.Move(s.Rank, r)
	case !in && s.In:
		l.Remove(s.Rank)
	}
	s.Rank, s.In = r, in
}

// Clear takes all elements out.
func (l *List[T]) Clear() {
	for i, b := range l.blocks {
		clear(b)
		l.spare = append(l.spare, b)
		l.blocks[i] = nil
	}
	l.blocks, l.n = l.blocks[:0], 0
}

// Append adds v behind all others. The blocks are left with room for insertions.
func (l *List[T]) Append(s *Spot, r Rank, v T) {
	k := len(l.blocks) - 1
	if k < 0 || len(l.blocks[k]) >= blockSize*3/4 {
		l.blocks = append(l.blocks, l.fresh())
		k++
	}
	l.blocks[k] = append(l.blocks[k], ranked[T]{r, v})
	l.n++
	s.Rank, s.In = r, true
}

// Cursor walks a rankList; a change of the list ends the walk.
type Cursor struct{ block, i int }

// Next returns the Next element, false at the end.
func (l *List[T]) Next(at *Cursor) (v T, ok bool) {
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
