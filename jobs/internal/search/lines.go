package search

import "bytes"

// Lines calls visit with each matching line of the chunk, including its line feed. Only the chunk's
// last line may lack one. The line is part of the chunk.
func (p *Pattern) Lines(chunk []byte, visit func(line []byte)) {
	s := p.scan(chunk)
	defer s.close()
	for start, end := s.next(0); start >= 0; start, end = s.next(end) {
		visit(chunk[start:end])
	}
}

// OtherLines calls visit with each maximal run of lines of the chunk that do not match.
func (p *Pattern) OtherLines(chunk []byte, visit func(lines []byte)) {
	s, done := p.scan(chunk), 0
	defer s.close()
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

// Count returns the number of matching lines of the chunk.
func (p *Pattern) Count(chunk []byte) int64 {
	if p.all {
		return CountLines(chunk)
	}
	s, n := p.scan(chunk), int64(0)
	defer s.close()
	for start, end := s.next(0); start >= 0; start, end = s.next(end) {
		n++
	}
	return n
}

// CountLines returns the number of lines of the chunk, including a last one without line feed.
func CountLines(chunk []byte) int64 {
	n := int64(bytes.Count(chunk, []byte{'\n'}))
	if len(chunk) > 0 && chunk[len(chunk)-1] != '\n' {
		n++
	}
	return n
}
