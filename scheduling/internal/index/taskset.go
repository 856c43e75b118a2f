package index

import "math/bits"

// TaskSet is a set of task indexes that finds its least member fast: words of 64 bits, and a
// summary with a bit per word. Adding, removing and testing are O(1); first looks at one summary
// word for each 4,096 tasks at worst.
type TaskSet struct {
	words   []uint64
	summary []uint64
	n       int
}

// NewTaskSet makes an empty set for indexes below size.
func NewTaskSet(size int) TaskSet {
	words := (size + 63) / 64
	return TaskSet{words: make([]uint64, words), summary: make([]uint64, (words+63)/64)}
}

// NewFullTaskSet makes the set of all indexes below size.
func NewFullTaskSet(size int) TaskSet {
	s := NewTaskSet(size)
	for i := range int32(size) {
		s.Add(i)
	}
	return s
}

// Has tells whether i is a member.
func (s *TaskSet) Has(i int32) bool { return s.words[i>>6]&(1<<(i&63)) != 0 }

// Add puts i in; i must not be a member.
func (s *TaskSet) Add(i int32) {
	s.words[i>>6] |= 1 << (i & 63)
	s.summary[i>>12] |= 1 << ((i >> 6) & 63)
	s.n++
}

// Remove takes i out; i must be a member.
func (s *TaskSet) Remove(i int32) {
	w := i >> 6
	s.words[w] &^= 1 << (i & 63)
	if s.words[w] == 0 {
		s.summary[w>>6] &^= 1 << (w & 63)
	}
	s.n--
}

// First returns the least member, or -1.
func (s *TaskSet) First() int32 {
	for k, sum := range s.summary {
		if sum != 0 {
			w := k<<6 + bits.TrailingZeros64(sum)
			return int32(w<<6 + bits.TrailingZeros64(s.words[w]))
		}
	}
	return -1
}

// Next returns the least member above i, or -1; Next(-1) is first.
func (s *TaskSet) Next(i int32) int32 {
	i++
	w := int(i >> 6)
	if w >= len(s.words) {
		return -1
	}
	if rest := s.words[w] >> (i & 63); rest != 0 {
		return i + int32(bits.TrailingZeros64(rest))
	}
	for w++; w < len(s.words); w++ {
		if s.words[w] != 0 {
			return int32(w<<6 + bits.TrailingZeros64(s.words[w]))
		}
	}
	return -1
}

// Onward returns the member that so many steps, at least 1, lead to: each goes to the least member
// above, from the greatest to the least of all. It starts at i, or -1; the set must not be empty.
func (s *TaskSet) Onward(i int32, steps int) int32 {
	steps = (steps - 1 + s.upTo(i)) % s.n
	for w, word := range s.words {
		if here := bits.OnesCount64(word); steps >= here {
			steps -= here
			continue
		}
		for ; steps > 0; steps-- {
			word &= word - 1
		}
		return int32(w<<6 + bits.TrailingZeros64(word))
	}
	return -1
}

// Steps is how many steps of Onward lead from i, or -1, to member k: 1 to Len.
func (s *TaskSet) Steps(i, k int32) int {
	steps := s.upTo(k) - s.upTo(i)
	if steps <= 0 {
		steps += s.n
	}
	return steps
}

// upTo is the number of members up to i.
func (s *TaskSet) upTo(i int32) (members int) {
	w := int(i+1) >> 6
	for _, word := range s.words[:min(w, len(s.words))] {
		members += bits.OnesCount64(word)
	}
	if rest := (i + 1) & 63; rest > 0 && w < len(s.words) {
		members += bits.OnesCount64(s.words[w] << (64 - rest))
	}
	return members
}

// Assign makes s a copy of another set.
func (s *TaskSet) Assign(o *TaskSet) {
	s.words, s.summary, s.n = append(s.words[:0], o.words...), append(s.summary[:0], o.summary...), o.n
}

// Len is the number of members.
func (s *TaskSet) Len() int { return s.n }
