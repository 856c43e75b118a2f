package dfa

import (
	"bytes"
	"unicode/utf8"
	"unsafe"
)

const (
	// maxHeld is the maximum size in bytes of each of a Searcher's two caches of states, which it
	// clears beyond that. minHeld is the smallest limit that Bound sets.
	maxHeld = 2 << 20
	minHeld = 64 << 10
	// workOfState is the cost of creating a state, and workOfStep that of a transition. A unit is
	// the examination of an instruction, about 5 ns.
	workOfState = 60
	workOfStep  = 10
	// freeWork is the work, in units, that Next may do before it can give up.
	freeWork = 100_000
	// minSkip is the average length in bytes from which skips pay; shorter ones cost more than they
	// save.
	minSkip = 12
	// checkedSkips is the number of skips after which Next checks their average length.
	checkedSkips = 64
	// firstSpan is how many bytes are read without skips after skips did not pay. It doubles, up to
	// lastSpan, each time they still do not pay after that.
	firstSpan = 16 << 10
	lastSpan  = 1 << 20
	// firstRest is how many bytes package regexp searches after a Searcher gave up. It doubles each
	// further time.
	firstRest = 1 << 20
)

// Searcher finds the lines that match a Program, and caches the states that it reaches. One
// goroutine at a time may use it.
type Searcher struct {
	p     *Program
	alike map[unfinished]string // results of merged

	*cache
	plain, skipping cache // states that read each byte, and states that skip to where the next match may begin

	maxCache     int // maximum size of a cache in bytes, maxHeld or less
	checkAfter   int // checkedSkips, except in tests
	skips        int // number of skips since their average length was last checked
	skippedBytes int // bytes skipped by these
	spanSize     int // bytes of the last span read without skips
	spanLeft     int // bytes of that span not read yet

	work, scanned      int64 // units of work done, and bytes read with it
	restSize, restDone int64 // bytes that other methods shall search since the Searcher gave up, and have searched

	// scratch
	stack   []uint32
	seen    []uint32
	round   uint32
	key     []byte
	begun   [utf8.UTFMax]byte
	settled threads
	first   threads
	scratch [2]threads
}

// NewSearcher returns a Searcher without states.
func (p *Program) NewSearcher() *Searcher {
	s := &Searcher{p: p, alike: map[unfinished]string{}, seen: make([]uint32, len(p.insts)), maxCache: maxHeld, checkAfter: checkedSkips, spanSize: firstSpan}
	s.skipping.specialStarts = true
	if s.use(&s.plain); p.prefix != nil {
		s.use(&s.skipping)
	}
	return s
}

// Bound limits the cached states to about this many bytes in total; from 128 KiB to 4 MiB. A
// smaller bound takes effect when the next state is created.
func (s *Searcher) Bound(bytes int64) {
	s.maxCache = int(min(max(bytes/2, minHeld), maxHeld)) // for each of two kinds
}

// use makes c the cache in which states are looked up and created from now on.
func (s *Searcher) use(c *cache) {
	if s.cache = c; c.ids == nil {
		s.clear()
	}
}

// Outcome is the result of Next.
type Outcome int

// The outcomes of Next.
const (
	None   Outcome = iota // no line matches
	Found                 // a line matches
	GaveUp                // states are created faster than they pay: use another method
)

// Next finds the first matching line of text from position `from` on, which is the start of a line.
// With Found it returns a position in that line: a byte of it, including its line feed, or
// len(text) in a last line without one. With GaveUp it returns the start of the first undecided
// line.
func (s *Searcher) Next(text []byte, from int) (at int, o Outcome) {
	if from == len(text) || s.begin == deadValue {
		return 0, None
	}
	v, i := s.begin, from
	for {
		switch {
		case v == matchValue:
			s.scanned += int64(i - from)
			return max(i-1, from), Found // a line that matches before any byte is read means All
		case v == deadValue:
			j := bytes.IndexByte(text[i:], '\n')
			if j < 0 {
				s.scanned += int64(len(text) - from)
				return 0, None
			}
			i += j + 1
			if v = s.begin; v&special != 0 {
				continue
			}
		case v&startState == startState && v == s.startAt(text, i):
			if i, v = s.skip(text, i); v&special != 0 { // dead except at the start of a line
				continue
			}
		case v&startState == startState: // like the state at the start of a line, but a match has begun
			v &= rowBits
		}
		var row uint32
		if i, row, v = s.read(text, i, v); i == len(text) {
			s.scanned += int64(i - from)
			return s.last(text, from, row)
		}
		if v&special == 0 {
			v = s.skipAgain(row)
			continue
		}
		if v == noValue {
			v = s.build(row, text[i])
			if s.work > freeWork+s.scanned+int64(i-from) {
				return s.giveUp(text, from, i)
			}
		}
		i++
	}
}

// last returns the result of Next when the text ends, for a last line without line feed.
func (s *Searcher) last(text []byte, from int, v uint32) (int, Outcome) {
	if len(text) == from || text[len(text)-1] == '\n' {
		return 0, None
	}
	if s.build(v, '\n') == matchValue {
		return len(text), Found
	}
	return 0, None
}

// giveUp returns GaveUp with the start of the line of text[i], and begins a rest; see Resting.
func (s *Searcher) giveUp(text []byte, from, i int) (int, Outcome) {
	s.work, s.scanned = 0, 0
	s.restSize = max(2*s.restSize, firstRest)
	s.restDone = 0
	return from + bytes.LastIndexByte(text[from:i], '\n') + 1, GaveUp
}

// Resting reports whether another method should search the text from here on. It is true for some
// bytes after Next gave up, and false for a nil Searcher.
func (s *Searcher) Resting() bool { return s != nil && s.restDone < s.restSize }

// Rest reports what Resting does. If it is true, the caller must search the next n bytes by another
// method; they count toward the end of the rest.
func (s *Searcher) Rest(n int) bool {
	resting := s.Resting()
	if resting {
		s.restDone += int64(n)
	}
	return resting
}

// skip returns the next position from i on at which a match may begin, or the end of the text, and
// the start state there.
func (s *Searcher) skip(text []byte, i int) (int, uint32) {
	if i < len(text) {
		from := i
		i = s.p.prefix.Index(text, i)
		s.skips++
		s.skippedBytes += i - from
		if s.skips == s.checkAfter {
			if s.skippedBytes < s.checkAfter*minSkip {
				s.spanLeft, s.spanSize = s.spanSize, min(2*s.spanSize, lastSpan)
				s.use(&s.plain)
			} else {
				s.spanSize = firstSpan
			}
			s.skips, s.skippedBytes = 0, 0
		}
	}
	v := s.startAt(text, i)
	if v&startState == startState {
		v &= rowBits
	}
	return i, v
}

// read is run that stops at the end of the current span, after which skips are tried again.
func (s *Searcher) read(text []byte, i int, v uint32) (at int, row, next uint32) {
	if s.cache == &s.skipping || s.p.prefix == nil {
		return s.run(text, i, v)
	}
	at, row, next = s.run(text[:min(len(text), i+s.spanLeft)], i, v)
	s.spanLeft -= at - i
	return at, row, next
}

// skipAgain switches to the cache of states that skip. It returns the state of row in that cache.
func (s *Searcher) skipAgain(row uint32) uint32 {
	st := &s.states[int(row)/s.p.alphabet.nBytes]
	s.use(&s.skipping)
	return s.intern(&st.threads, look{word: st.word, begin: st.begin}, st.begun)
}

// startAt returns the start state for text[i:], which depends on the byte before it.
func (s *Searcher) startAt(text []byte, i int) uint32 {
	if i == 0 || text[i-1] == '\n' {
		return s.starts[0]
	}
	if s.p.alphabet.isWord(text[i-1]) {
		return s.starts[2]
	}
	return s.starts[1]
}

// run reads text from i on, starting in row v, until a byte leads to a special value. It returns
// the byte's position, the row before it and the value. At the end of the text it returns the row.
func (s *Searcher) run(text []byte, i int, v uint32) (at int, row, next uint32) {
	p, table := unsafe.Pointer(unsafe.SliceData(text)), unsafe.Pointer(unsafe.SliceData(s.table))
	classes := &s.p.alphabet.bytes
	for ; i+4 <= len(text); i += 4 {
		b := (*[4]byte)(unsafe.Add(p, i))
		v1 := value(table, v, classes[b[0]])
		if v1&special != 0 {
			return i, v, v1
		}
		v2 := value(table, v1, classes[b[1]])
		if v2&special != 0 {
			return i + 1, v1, v2
		}
		v3 := value(table, v2, classes[b[2]])
		if v3&special != 0 {
			return i + 2, v2, v3
		}
		if v = value(table, v3, classes[b[3]]); v&special != 0 {
			return i + 3, v3, v
		}
	}
	for ; i < len(text); i++ {
		next := value(table, v, classes[text[i]])
		if next&special != 0 {
			return i, v, next
		}
		v = next
	}
	return i, v, v
}

// value returns the entry of row v for a byte class. Every row has an entry for each class.
func value(table unsafe.Pointer, v uint32, class uint8) uint32 {
	return *(*uint32)(unsafe.Add(table, 4*uintptr(v+uint32(class))))
}
