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

// next returns the first matching line chunk[start:end] from `from` on, which is the start of a
// line, or -1, -1.
func (s *scanner) next(from int) (start, end int) {
	if s.p.through && !s.resting {
		start, at, outcome := s.lines.Next(s.chunk, from)
		switch outcome {
		case dfa.None:
			return -1, -1
		case dfa.Found:
			return start, LineEnd(s.chunk, at)
		case dfa.GaveUp:
			from, s.resting = start, true
		}
	}
	for from < len(s.chunk) {
		at := from
		if s.p.candidate != nil {
			if from, at = s.p.candidate(s.chunk, from); from == len(s.chunk) {
				break
			}
		}
		end := LineEnd(s.chunk, at)
		if s.p.sure || s.matches(from, end) {
			return from, end
		}
		from = end
	}
	return -1, -1
}

// matches reports whether the line chunk[start:end] matches, by package dfa or, if that rests, by
// package regexp, the slowest way.
func (s *scanner) matches(start, end int) bool {
	if !s.resting {
		_, _, outcome := s.lines.Next(s.chunk[:end], start)
		if s.resting = outcome == dfa.GaveUp; !s.resting {
			return outcome == dfa.Found
		}
	}
	return s.p.re.Match(bytes.TrimSuffix(s.chunk[start:end], []byte{'\n'}))
}
