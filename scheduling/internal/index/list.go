// Package index has the sorted lists, sets and tables that make the Core's lookups fast: which job
// is next, which of its tasks is pending, which has data on a node. They use only numbers of jobs
// and nodes. None is safe for concurrent use.
package index

import (
	"slices"
	"sort"
)

// Rank is a position in an order: smaller goes first, by class, then value, then tie, which must be
// unique within a list. Values must be finite. A Rank has only 16 bytes because lists are rarely in
// the cache.
type Rank struct {
	Value float64
	Tie   int32
	Class int16
}

// Before reports whether r goes before s.
func (r Rank) Before(s Rank) bool {
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

// List keeps elements sorted by rank. The ranks are stored separately from the values, so that a
// walk reads no ranks and passing over an element costs almost nothing. A change is a binary search
// and a move of the elements between the former and the new position.
type List[T any] struct {
	ranks  []Rank
	values []T
}

// Len returns the number of elements.
func (l *List[T]) Len() int { return len(l.values) }

// All returns the elements in order; the slice is valid until the list changes.
func (l *List[T]) All() []T { return l.values }

// search returns the index of the first element that is not before r.
func (l *List[T]) search(r Rank) int {
	return sort.Search(len(l.ranks), func(i int) bool { return !l.ranks[i].Before(r) })
}

// find returns the index of the element at r, which must exist.
func (l *List[T]) find(r Rank) int {
	i := l.search(r)
	if i == len(l.ranks) || l.ranks[i] != r {
		panic("index: the list has lost an element")
	}
	return i
}

// Insert adds v at r.
func (l *List[T]) Insert(r Rank, v T) {
	i := l.search(r)
	l.ranks, l.values = slices.Insert(l.ranks, i, r), slices.Insert(l.values, i, v)
}

// Remove removes the element at r, which must exist.
func (l *List[T]) Remove(r Rank) {
	i := l.find(r)
	l.ranks, l.values = slices.Delete(l.ranks, i, i+1), slices.Delete(l.values, i, i+1)
}

// Move moves the element from one rank to another. It is the hot path of every launch: only the
// elements that it passes are moved.
func (l *List[T]) Move(from, to Rank) {
	i, k := l.find(from), l.search(to)
	v := l.values[i]
	if k > i {
		k-- // the element itself is before its new place
		copy(l.ranks[i:k], l.ranks[i+1:k+1])
		copy(l.values[i:k], l.values[i+1:k+1])
	} else {
		copy(l.ranks[k+1:i+1], l.ranks[k:i])
		copy(l.values[k+1:i+1], l.values[k:i])
	}
	l.ranks[k], l.values[k] = to, v
}

// Spot is the position of an element in a list, if In says that it is in the list.
type Spot struct {
	Rank
	In bool
}

// Put puts v at rank r, or removes it if `in` is false; s is its former position and is updated.
func (l *List[T]) Put(s *Spot, in bool, r Rank, v T) {
	switch {
	case in && !s.In:
		l.Insert(r, v)
	case in && r != s.Rank:
		l.Move(s.Rank, r)
	case !in && s.In:
		l.Remove(s.Rank)
	}
	*s = Spot{r, in}
}
