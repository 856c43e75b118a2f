package index

import "math/bits"

// TaskSet is a set of task indexes that finds its smallest member fast: words of 64 bits, and a
// summary with a bit per word. Adding, removing and testing are O(1); First reads at most one
// summary word per 4,096 tasks. A set for up to 64 tasks is stored in the TaskSet itself, since
// most jobs have few tasks. The zero value is an empty set for up to 64 tasks.
type TaskSet struct {
	one  uint64
	many *manyTasks // nil for up to 64 tasks
	n    int
}

// manyTasks stores the members of a set for more than 64 tasks.
type manyTasks struct{ words, summary []uint64 }

// NewTaskSet returns an empty set for indexes below size.
func NewTaskSet(size int) TaskSet {
	if size <= 64 {
		return TaskSet{}
	}
	words := (size + 63) / 64
	all := make([]uint64, words+(words+63)/64)
	return TaskSet{many: &manyTasks{words: all[:words:words], summary: all[words:]}}
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
func (s *TaskSet) Has(i int32) bool {
	if s.many == nil {
		return s.one>>(i&63)&1 != 0
	}
	return s.many.words[i>>6]>>(i&63)&1 != 0
}

// Add adds i, which must not be a member.
func (s *TaskSet) Add(i int32) {
	s.n++
	if s.many == nil {
		s.one |= 1 << (i & 63)
		return
	}
	s.many.words[i>>6] |= 1 << (i & 63)
	s.many.summary[i>>12] |= 1 << ((i >> 6) & 63)
}

// Remove removes i, which must be a member.
func (s *TaskSet) Remove(i int32) {
	s.n--
	if s.many == nil {
		s.one &^= 1 << (i & 63)
		return
	}
	w := i >> 6
	s.many.words[w] &^= 1 << (i & 63)
	if s.many.words[w] == 0 {
		s.many.summary[w>>6] &^= 1 << (w & 63)
	}
}

// First returns the smallest member, or -1.
func (s *TaskSet) First() int32 {
	switch {
	case s.n == 0:
		return -1
	case s.many == nil:
		return int32(bits.TrailingZeros64(s.one))
	}
	for k, sum := range s.many.summary {
		if sum != 0 {
			w := k<<6 + bits.TrailingZeros64(sum)
			return int32(w<<6 + bits.TrailingZeros64(s.many.words[w]))
		}
	}
	return -1
}

// Next returns the smallest member above i, or -1; Next(-1) is First.
func (s *TaskSet) Next(i int32) int32 {
	i++
	if s.many == nil {
		if rest := s.one >> uint32(i); rest != 0 { // shifting by 64 or more yields 0
			return i + int32(bits.TrailingZeros64(rest))
		}
		return -1
	}
	words, w := s.many.words, int(i>>6)
	if w >= len(words) {
		return -1
	}
	if rest := words[w] >> (i & 63); rest != 0 {
		return i + int32(bits.TrailingZeros64(rest))
	}
	for w++; w < len(words); w++ {
		if words[w] != 0 {
			return int32(w<<6 + bits.TrailingZeros64(words[w]))
		}
	}
	return -1
}

// Len returns the number of members.
func (s *TaskSet) Len() int { return s.n }
