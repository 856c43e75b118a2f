package search

import "bytes"

// Lines calls visit with each line of the chunk that matches, its line feed included. Only the
// chunk's last line may lack one. The line is part of the chunk.
func (p *Pattern) Lines(chunk []byte, visit func(line []byte)) {
	s := p.scan(chunk)
	for start, end := s.next(0); start >= 0; start, end = s.next(end) {
		visit(chunk[start:end])
	}
}

// OtherLines calls visit with each run of lines of the chunk that do not match, as long as can be.
func (p *Pattern) OtherLines(chunk []byte, visit func(lines []byte)) {
	s, done := p.scan(chunk), 0
	for start, end := s.next(0); start >= 0; start, end = s.next(end) {
		if start > done {
			visit(chunk[done:start])
		}
		done = end
	}
	if done < len(chunk) {
		visit(chunk[done:])
	}
}

// Count is the number of lines of the chunk that match.
func (p *Pattern) Count(chunk []byte) int64 {
	if p.all {
		return CountLines(chunk)
	}
	s, n := p.scan(chunk), int64(0)
	for start, end := s.next(0); start >= 0; start, end = s.next(end) {
		n++
	}
	return n
}

// CountLines is the number of lines of the chunk, one without a line feed at its end included.
func CountLines(chunk []byte) int64 {
	n := int64(bytes.Count(chunk, []byte{'\n'}))
	if len(chunk) > 0 && chunk[len(chunk)-1] != '\n' {
		n++
	}
	return n
}

// scanner goes once through a chunk from the front to the back.
type scanner struct {
	p     *Pattern
	chunk []byte
	hits  []int // for each needle the first place, at or after the current line, where it lies; len(chunk) for none
}

func (p *Pattern) scan(chunk []byte) scanner {
	s := scanner{p: p, chunk: chunk, hits: make([]int, len(p.needles))}
	for i := range s.hits {
		s.hits[i] = -1
	}
	return s
}

// next is the first matching line at or after from, which is the start of a line: chunk[start:end],
// or -1, -1.
func (s *scanner) next(from int) (start, end int) {
	for from < len(s.chunk) {
		start, hit := from, from
		if len(s.p.needles) > 0 {
			if hit = s.candidate(from); hit == len(s.chunk) {
				return -1, -1
			}
			start += bytes.LastIndexByte(s.chunk[from:hit], '\n') + 1
		}
		end, next := len(s.chunk), len(s.chunk) // of the line and the one after it
		if i := bytes.IndexByte(s.chunk[hit:], '\n'); i >= 0 {
			end, next = hit+i, hit+i+1
		}
		if s.p.exact || s.p.all || s.matches(start, end, hit) {
			return start, next
		}
		from = next
	}
	return -1, -1
}

// candidate is the first place at or after from where a needle lies, or the chunk's length.
func (s *scanner) candidate(from int) int {
	first := len(s.chunk)
	for i := range s.hits {
		if s.hits[i] < from {
			s.hits[i] = len(s.chunk)
			if j := s.p.needles[i].index(s.chunk[from:]); j >= 0 {
				s.hits[i] = from + j
			}
		}
		first = min(first, s.hits[i])
	}
	return first
}
