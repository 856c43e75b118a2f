package search

import (
	"bytes"

	"github.com/tarry-mr/tarry/jobs/internal/dfa"
)

// scanner finds the matching lines of one chunk, from start to end.
type scanner struct {
	p       *Pattern
	chunk   []byte
	lines   *dfa.Searcher // nil if the pattern does not need one or is too large
	resting bool          // package regexp examines the lines, since lines has given up or is nil
}

// scan returns a scanner with one of the pattern's idle searchers, or a new one.
func (p *Pattern) scan(chunk []byte) *scanner {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &scanner{p: p, chunk: chunk}
	if n := len(p.idle); n > 0 {
		s.lines, p.idle = p.idle[n-1], p.idle[:n-1]
	} else if p.lines != nil {
		s.lines = p.lines.NewSearcher()
	}
	s.resting = s.lines == nil || s.lines.Rest(len(chunk))
	return s
}

// close makes the scanner's searcher idle, so that the next chunk can reuse it.
func (s *scanner) close() {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.lines != nil {
		s.p.idle = append(s.p.idle, s.lines)
	}
}

// next returns the first matching line chunk[start:end] from `from` on, which is the start of a
// line, or -1, -1.
func (s *scanner) next(from int) (start, end int) {
	start, at := from, from // start of the line, and a position in it
	switch {
	case s.p.all:
	case s.p.exact:
		at = s.p.needles.index(s.chunk, from)
		start = lineOf(s.chunk, from, at)
	case !s.resting:
		var outcome dfa.Outcome
		if start, at, outcome = s.lines.Next(s.chunk, from); outcome == dfa.None {
			return -1, -1
		}
		if s.resting = outcome == dfa.GaveUp; s.resting {
			return s.next(start)
		}
	default:
		start = s.byRegexp(from)
		at = start
	}
	if start == len(s.chunk) {
		return -1, -1
	}
	return start, s.end(at)
}

// end returns the end of the line that contains position at.
func (s *scanner) end(at int) int {
	if i := bytes.IndexByte(s.chunk[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(s.chunk)
}

// byRegexp returns the start of the first line from `from` on that matches by package regexp, the
// slowest way, or len(s.chunk).
func (s *scanner) byRegexp(from int) int {
	for from < len(s.chunk) {
		if s.p.candidate != nil {
			if from = s.p.candidate(s.chunk, from); from == len(s.chunk) {
				break
			}
		}
		end := s.end(from)
		if s.p.re.Match(bytes.TrimSuffix(s.chunk[from:end], []byte{'\n'})) {
			return from
		}
		from = end
	}
	return len(s.chunk)
}
