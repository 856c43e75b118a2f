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
	done := 0
	p.Lines(chunk, func(line []byte) {
		if start := cap(chunk) - cap(line); start > done {
			visit(chunk[done:start])
		}
		done = cap(chunk) - cap(line) + len(line)
	})
	if done < len(chunk) {
		visit(chunk[done:])
	}
}

// Count returns the number of matching lines of the chunk.
func (p *Pattern) Count(chunk []byte) int64 {
	if p.all {
		return CountLines(chunk)
	}
	n := int64(0)
	p.Lines(chunk, func([]byte) { n++ })
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
