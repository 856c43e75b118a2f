// Package index has the sorted lists, sets and tables that make the Core's lookups fast: which job
// is next, which of its tasks is pending, which has data on a node. They use only numbers of jobs
// and nodes. None is safe for concurrent use.
package index

import (
	"cmp"
	"slices"
)

// Rank is a position in an order: smaller goes first, by class, then value, then tie, which must be
// unique within a list. Values must be finite. A Rank has only 16 bytes because lists are rarely in
// the cache.
type Rank struct {
	Value float64
	Tie   int32
	Class int16
}

// Compare returns a negative number if r goes before s, for sorting.
func (r Rank) Compare(s Rank) int {
	return cmp.Or(cmp.Compare(r.Class, s.Class), cmp.Compare(r.Value, s.Value), cmp.Compare(r.Tie, s.Tie))
}

// before reports whether r goes before s.
func (r Rank) before(s Rank) bool {
	if r.Class != s.Class {
		return r.Class < s.Class
	}
	if r.Value != s.Value {
		return r.Value < s.Value
	}
	return r.Tie < s.Tie
}

// Reversed returns the rank of r in the reversed order.
func (r Rank) Reversed() Rank { return Rank{Class: -r.Class, Value: -r.Value, Tie: -r.Tie} }

// blockSize limits the elements that one insertion moves.
const blockSize = 64

// block holds consecutive elements: their ranks, and separately their values, so that a walk reads
// no ranks.
type block[T any] struct {
	n      int
	ranks  [blockSize]Rank
	values [blockSize]T
}

// List keeps elements sorted by rank in blocks of at most blockSize. Inserting and removing are a
// binary search over the blocks and a move within one. Walking is a plain scan, so that passing
// over an element costs almost nothing. Invariant: no block is empty.
type List[T any] struct {
	blocks []blockAt[T]
	n      int
	spare  []*block[T] // empty blocks, for reuse
}

// blockAt is a block with the rank of its first element, so that a search reads only the right
// block.
type blockAt[T any] struct {
	first Rank
	*block[T]
}

// Len returns the number of elements.
func (l *List[T]) Len() int { return l.n }

// block returns the index of the block that r belongs to.
func (l *List[T]) block(r Rank) int {
	lo, hi := 0, len(l.blocks)-1 // the last block whose first element is not after r
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if r.before(l.blocks[mid].first) {
			hi = mid - 1
		} else {
			lo = mid
		}
	}
	return lo
}

// search returns the index of the first element of b that is not before r.
func (b *block[T]) search(r Rank) int {
	lo, hi := 0, b.n
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if b.ranks[mid].before(r) {
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
		l.blocks = append(l.blocks, blockAt[T]{r, l.fresh()})
	}
	k := l.block(r)
	b := l.blocks[k].block
	if b.n == blockSize {
		half := l.fresh()
		half.n, b.n = blockSize/2, blockSize/2
		copy(half.ranks[:], b.ranks[b.n:])
		copy(half.values[:], b.values[b.n:])
		clear(b.values[b.n:])
		l.blocks = slices.Insert(l.blocks, k+1, blockAt[T]{half.ranks[0], half})
		if half.ranks[0].before(r) {
			k, b = k+1, half
		}
	}
	i := b.search(r)
	b.n++
	copy(b.ranks[i+1:b.n], b.ranks[i:])
	copy(b.values[i+1:b.n], b.values[i:])
	b.ranks[i], b.values[i] = r, v
	l.blocks[k].first = b.ranks[0]
}

// fresh returns an empty block.
func (l *List[T]) fresh() *block[T] {
	if k := len(l.spare) - 1; k >= 0 {
		b := l.spare[k]
		l.spare = l.spare[:k]
		return b
	}
	return &block[T]{}
}

// find returns the position of the element at r, which must exist.
func (l *List[T]) find(r Rank) (k, i int) {
	k = l.block(r)
	b := l.blocks[k].block
	if i = b.search(r); i == b.n || b.ranks[i] != r {
		panic("index: the list has lost an element")
	}
	return k, i
}

// Remove removes the element at r, which must exist.
func (l *List[T]) Remove(r Rank) {
	k, i := l.find(r)
	b := l.blocks[k].block
	l.n--
	copy(b.ranks[i:b.n], b.ranks[i+1:b.n])
	copy(b.values[i:b.n], b.values[i+1:b.n])
	b.n--
	b.values[b.n] = *new(T)
	if b.n == 0 {
		l.spare = append(l.spare, b)
		l.blocks = slices.Delete(l.blocks, k, k+1)
		return
	}
	l.blocks[k].first = b.ranks[0]
}

// Move moves the element from one rank to another. It is the hot path of every launch: while the
// element stays within its block, only the elements that it passes are moved.
func (l *List[T]) Move(from, to Rank) {
	k, i := l.find(from)
	b := l.blocks[k].block
	v := b.values[i]
	lastFits := k == len(l.blocks)-1 || to.before(l.blocks[k+1].first)
	firstFits := k == 0 || !to.before(b.ranks[0])
	if !lastFits || !firstFits {
		l.Remove(from)
		l.Insert(to, v)
		return
	}
	for i+1 < b.n && b.ranks[i+1].before(to) {
		b.ranks[i], b.values[i] = b.ranks[i+1], b.values[i+1]
		i++
	}
	for i > 0 && to.before(b.ranks[i-1]) {
		b.ranks[i], b.values[i] = b.ranks[i-1], b.values[i-1]
		i--
	}
	b.ranks[i], b.values[i] = to, v
	l.blocks[k].first = b.ranks[0]
}

// Spot is the position of an element in a list; In reports whether it is in the list.
type Spot struct {
	value float64
	tie   int32
	class int16
	In    bool
}

// Rank returns the element's rank; the zero rank if it is not in the list.
func (s Spot) Rank() Rank { return Rank{s.value, s.tie, s.class} }

// spotAt returns the Spot for a rank.
func spotAt(r Rank, in bool) Spot { return Spot{r.Value, r.Tie, r.Class, in} }

// Put inserts v at r, moves it from s to r, or removes it, as `in` requires, and updates s.
func (l *List[T]) Put(s *Spot, in bool, r Rank, v T) {
	switch {
	case in && !s.In:
		l.Insert(r, v)
	case in && r != s.Rank():
		l.Move(s.Rank(), r)
	case !in && s.In:
		l.Remove(s.Rank())
	}
	*s = spotAt(r, in)
}

// At returns the i-th element.
func (l *List[T]) At(i int) T {
	k := 0
	for ; i >= l.blocks[k].n; k++ {
		i -= l.blocks[k].n
	}
	return l.blocks[k].values[i]
}

// Cursor walks a List; a change of the list ends the walk.
type Cursor struct{ block, i int }

// Next returns the next element; ok is false at the end.
func (l *List[T]) Next(at *Cursor) (v T, ok bool) {
	if at.block >= len(l.blocks) {
		return v, false
	}
	b := l.blocks[at.block]
	v = b.values[at.i]
	if at.i++; at.i == b.n {
		at.block, at.i = at.block+1, 0
	}
	return v, true
}
