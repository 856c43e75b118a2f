package search

import (
	"bytes"
	"iter"

	"github.com/tarry-mr/tarry/jobs/internal/dfa"
)

// Lines yields the position chunk[start:end] of each matching line of the chunk, including its line
// feed. Only the chunk's last line may lack one.
func (p *Pattern) Lines(chunk []byte) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		s := scanner{p: p, chunk: chunk, resting: true}
		if p.lines != nil {
			s.lines = p.searchers.Get().(*dfa.Searcher)
			defer p.searchers.Put(s.lines)
			s.resting = s.lines.Rest(len(chunk))
		}
		for start, end := s.next(0); start >= 0 && yield(start, end); start, end = s.next(end) {
		}
	}
}

// OtherLines yields the position of each maximal run of lines of the chunk that do not match.
func (p *Pattern) OtherLines(chunk []byte) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		done := 0
		for start, end := range p.Lines(chunk) {
			if start > done && !yield(done, start) {
				return
			}
			done = end
		}
		if done < len(chunk) {
			yield(done, len(chunk))
		}
	}
}

// Count returns the number of matching lines of the chunk.
func (p *Pattern) Count(chunk []byte) (n int64) {
	if p.sure && p.candidate == nil {
		return CountLines(chunk)
	}
	for range p.Lines(chunk) {
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

// LineEnd returns the end of the line that contains position at, behind its line feed if it has
// one.
func LineEnd(chunk []byte, at int) int {
	if i := bytes.IndexByte(chunk[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(chunk)
}
