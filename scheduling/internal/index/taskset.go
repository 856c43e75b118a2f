package index

import "math/bits"

// TaskSet is a set of task indexes that finds its smallest member fast. Nothing can be added to the
// zero value, which is an empty set; see NewTaskSet.
type TaskSet struct {
	n int
	*members
}

// members has a bit per index.
type members struct {
	words []uint64
	start int // words before it are 0
}

// NewTaskSet returns an empty set for indexes below size.
func NewTaskSet(size int) TaskSet {
	return TaskSet{members: &members{words: make([]uint64, (size+63)/64)}}
}

// NewFullTaskSet returns the set of all indexes below size.
func NewFullTaskSet(size int) TaskSet {
	s := NewTaskSet(size)
	for i := range int32(size) {
		s.Add(i)
	}
	return s
}

// Has reports whether i is a member.
func (s *TaskSet) Has(i int32) bool { return s.n > 0 && s.words[i>>6]>>(i&63)&1 != 0 }

// Add adds i, which must not be a member.
func (s *TaskSet) Add(i int32) {
	s.n++
	s.words[i>>6] |= 1 << (i & 63)
	s.start = min(s.start, int(i>>6))
}

// Remove removes i, which must be a member.
func (s *TaskSet) Remove(i int32) {
	s.n--
	s.words[i>>6] &^= 1 << (i & 63)
}

// First returns the smallest member, or -1.
func (s *TaskSet) First() int32 {
	if s.n == 0 {
		return -1
	}
	for s.words[s.start] == 0 {
		s.start++
	}
	return int32(s.start<<6 + bits.TrailingZeros64(s.words[s.start]))
}

// Next returns the smallest member above i, or -1; Next(-1) is First.
func (s *TaskSet) Next(i int32) int32 {
	if s.n == 0 {
		return -1
	}
	i++
	low := ^uint64(0) << (i & 63) // the bits of i and above
	for w := int(i >> 6); w < len(s.words); w++ {
		if rest := s.words[w] & low; rest != 0 {
			return int32(w<<6 + bits.TrailingZeros64(rest))
		}
		low = ^uint64(0)
	}
	return -1
}

// Len returns the number of members.
func (s *TaskSet) Len() int { return s.n }
