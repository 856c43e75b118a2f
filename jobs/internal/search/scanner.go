package search

import (
	"bytes"

	"github.com/tarry-mr/tarry/jobs/internal/dfa"
)

const (
	// checkedHits is the number of selected lines after which their average distance is checked.
	checkedHits = 64
	// nearHits is the average distance of hits, in bytes, below which reading all text is faster.
	nearHits = 80
	// firstSpan is how many bytes are read completely before lines are selected again. It doubles,
	// up to lastSpan, each time hits are still too near.
	firstSpan = 16 << 10
	lastSpan  = 1 << 20
)

// scanner finds the matching lines of one chunk, from start to end.
type scanner struct {
	p     *Pattern
	chunk []byte
	f     *finder
}

// finder is the state of a search that is kept from chunk to chunk. It measures whether it pays to
// examine only lines with a needle, a literal that matches must contain.
type finder struct {
	lines         *dfa.Searcher // nil if the pattern does not need one or is too large
	selectedLines int           // selected lines since their distance was last checked
	passedBytes   int           // bytes of text up to the last of these
	spanSize      int           // size of the last span read completely
	spanLeft      int           // bytes of that span not read yet
}

func (p *Pattern) scan(chunk []byte) scanner { return scanner{p, chunk, p.finder()} }

// finder returns one of the pattern's idle finders, or a new one.
func (p *Pattern) finder() *finder {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &finder{spanSize: firstSpan}
	if n := len(p.finders); n > 0 {
		f, p.finders = p.finders[n-1], p.finders[:n-1]
	} else if p.lines != nil {
		f.lines = p.lines.NewSearcher()
	}
	if f.lines != nil && p.memory > 0 {
		f.lines.Bound(p.memory)
	}
	return f
}

// close makes the scanner's finder idle, so that the next chunk can reuse it.
func (s *scanner) close() {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.finders = append(s.p.finders, s.f)
}

// next returns the first matching line chunk[start:end] from `from` on, which is the start of a
// line, or -1, -1.
func (s *scanner) next(from int) (start, end int) {
	for from < len(s.chunk) {
		next := 0
		switch {
		case s.p.all:
			_, next = s.line(from)
			return from, next
		case s.p.selects && s.f.spanLeft <= 0, s.f.lines.Resting() && len(s.p.needles.list) > 0:
			start, next = s.nextSelected(from)
		case s.f.lines != nil:
			start, next = s.nextOfAll(from)
		default:
			start, next = s.byRegexp(from)
		}
		if start >= 0 {
			return start, next
		}
		from = next
	}
	return -1, -1
}

// line returns the end of the line that contains position i, without its line feed, and the start
// of the next line.
func (s *scanner) line(i int) (end, next int) {
	if j := bytes.IndexByte(s.chunk[i:], '\n'); j >= 0 {
		return i + j, i + j + 1
	}
	return len(s.chunk), len(s.chunk)
}

// nextSelected examines one line: the first one from `from` on that contains a needle or, without
// needles, is long enough for a match. It returns the line's start, or -1 if it does not match, and
// the start of the next line.
func (s *scanner) nextSelected(from int) (start, next int) {
	var hit int
	if len(s.p.needles.list) > 0 {
		hit = s.p.needles.index(s.chunk, from)
	} else {
		hit = s.longLine(from)
	}
	if hit == len(s.chunk) {
		return -1, hit
	}
	start = from + bytes.LastIndexByte(s.chunk[from:hit], '\n') + 1
	end, next := s.line(hit)
	if s.p.exact {
		return start, next
	}
	if s.f.lines != nil {
		s.f.passedBytes += next - from
		if s.f.selectedLines++; s.f.selectedLines == checkedHits {
			s.f.chooseMethod()
		}
	}
	if !s.matches(start, end) {
		start = -1
	}
	return start, next
}

// chooseMethod makes the finder read the next span completely if the lines that it selected are
// near to each other.
func (f *finder) chooseMethod() {
	if f.passedBytes < nearHits*checkedHits {
		f.spanLeft, f.spanSize = f.spanSize, min(2*f.spanSize, lastSpan)
	} else {
		f.spanSize = firstSpan
	}
	f.selectedLines, f.passedBytes = 0, 0
}

// nextOfAll examines all lines and returns what nextSelected does. The automaton reads them up to
// the first match. While the automaton rests, it examines one line with package regexp.
func (s *scanner) nextOfAll(from int) (start, next int) {
	if s.f.lines.Resting() {
		start, next = s.byRegexp(from)
		s.f.lines.Rest(next - from)
		s.f.spanLeft -= next - from
		return start, next
	}
	text := s.chunk
	if s.p.selects && s.f.spanLeft < len(text)-from {
		_, end := s.line(from + s.f.spanLeft - 1)
		text = text[:end]
	}
	at, outcome := s.f.lines.Next(text, from)
	switch outcome {
	case dfa.Found:
		_, next = s.line(at)
		start = from + bytes.LastIndexByte(text[from:at], '\n') + 1
	case dfa.GaveUp:
		start, next = s.byRegexp(at)
	default:
		start, next = -1, len(text)
	}
	s.f.spanLeft -= next - from
	return start, next
}

// byRegexp matches the line that begins at from with package regexp, the slowest way. It returns
// the line's start, or -1 if it does not match, and the start of the next line.
func (s *scanner) byRegexp(from int) (start, next int) {
	end, next := s.line(from)
	if s.p.re.Match(s.chunk[from:end]) {
		return from, next
	}
	return -1, next
}

// matches reports whether the line matches: by the automaton or, while that rests, by regexp.
func (s *scanner) matches(start, end int) bool {
	if s.f.lines != nil && !s.f.lines.Rest(end-start) {
		if _, outcome := s.f.lines.Next(s.chunk[start:end], 0); outcome != dfa.GaveUp {
			return outcome == dfa.Found
		}
	}
	return s.p.re.Match(s.chunk[start:end])
}
