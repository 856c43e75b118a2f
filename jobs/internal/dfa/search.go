package dfa

import (
	"bytes"
	"unsafe"
)

const (
	// maxHeld is how many bytes of states a Searcher holds, of each kind, before it forgets them all, and
	// leastHeld how many it may hold under any bound.
	maxHeld   = 2 << 20
	leastHeld = 64 << 10
	// What it takes to make a state, beside a unit for each instruction looked at. A unit is about
	// 5 ns.
	workOfState = 60
	workOfStep  = 10
	// freeWork is done without asking what has come of it.
	freeWork = 100_000
	// minSkip is how many bytes a skip must come to on average, or skipping costs more than it saves.
	minSkip = 12
	// askedSkips is after how many skips it is looked at what they came to.
	askedSkips = 64
	// firstSpan is how many bytes are read without skips where they do not pay; as often as they do
	// not pay right after that it is twice as many, up to lastSpan.
	firstSpan = 16 << 10
	lastSpan  = 1 << 20
	// firstRest is for how much text a Searcher that has given up leaves the work to others, in
	// bytes; each further time it is twice as much.
	firstRest = 1 << 20
)

// Searcher looks for lines that a Program matches. It keeps the states that it has come across; one
// goroutine at a time may use it.
type Searcher struct {
	p       *Program
	decoder *decoder

	*cache
	plain, skipping cache // states for reading on, and for skipping where nothing has been begun

	most    int // maxHeld, or less
	asked   int // askedSkips, but in tests
	skips   int
	skipped int // bytes
	span    int // how many bytes were last to be read without skips
	reading int // and how many of them are left

	work, scanned int64 // units of work done for bytes read
	rest, rested  int64 // bytes

	// scratch
	stack   []uint32
	seen    []uint32
	round   uint32
	key     []byte
	settled threads
	first   threads
	scratch [2]threads
}

// NewSearcher makes a Searcher without states.
func (p *Program) NewSearcher() *Searcher {
	s := &Searcher{p: p, decoder: newDecoder(p.alphabet), seen: make([]uint32, len(p.insts)), most: maxHeld, asked: askedSkips, span: firstSpan}
	s.skipping.specialStarts = true
	if s.use(&s.plain); p.prefix != nil {
		s.use(&s.skipping)
	}
	return s
}

// Bound has the Searcher hold at most so many bytes of states, about, in all: at least 128 KiB and at
// most 4 MiB. What it holds beyond a new bound goes when the next state is made.
func (s *Searcher) Bound(bytes int64) {
	s.most = int(min(max(bytes/2, leastHeld), maxHeld)) // of each of two kinds
}

// use makes c the states that are used.
func (s *Searcher) use(c *cache) {
	if s.cache = c; c.ids == nil {
		s.clear()
	}
}

// Outcome says what Next has found.
type Outcome int

// The outcomes.
const (
	None   Outcome = iota // no line matches
	Found                 // a line matches
	GaveUp                // states are made faster than they are used: ask somebody else
)

// Next looks for the first line of text that matches, of those from the place from on, where a line
// begins. With Found it returns a place in that line: a byte of it, its line feed included, or
// len(text) in a last line without one. With GaveUp it returns where the first line begins that has
// not been decided.
func (s *Searcher) Next(text []byte, from int) (at int, o Outcome) {
	if from == len(text) || s.begin == deadValue {
		return 0, None
	}
	v, i := s.begin, from
	for {
		switch {
		case v == matchValue:
			s.scanned += int64(i - from)
			return max(i-1, from), Found // a line that matches before it is read is All
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
			if i, v = s.skip(text, i); v&special != 0 { // dead but at the beginning of a line
				continue
			}
		case v&startState == startState: // as at the beginning of a line, but by a match that has begun
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

// last decides the last line of a text, if it has no line feed.
func (s *Searcher) last(text []byte, from int, v uint32) (int, Outcome) {
	if len(text) == from || text[len(text)-1] == '\n' {
		return 0, None
	}
	if s.build(v, '\n') == matchValue {
		return len(text), Found
	}
	return 0, None
}

// giveUp begins a rest, at the line that holds text[i].
func (s *Searcher) giveUp(text []byte, from, i int) (int, Outcome) {
	s.work, s.scanned = 0, 0
	s.rest = max(2*s.rest, firstRest)
	s.rested = 0
	return from + bytes.LastIndexByte(text[from:i], '\n') + 1, GaveUp
}

// Resting reports whether the text from here on is to be searched by somebody else: states were
// made faster than they were used, not long ago. A nil Searcher does not rest.
func (s *Searcher) Resting() bool { return s != nil && s.rested < s.rest }

// Rest is Resting, and tells that n bytes are searched by somebody else if so.
func (s *Searcher) Rest(n int) bool {
	resting := s.Resting()
	if resting {
		s.rested += int64(n)
	}
	return resting
}

// skip goes from a start state on to where a match may begin, and the start state there; or to the end
// of the text.
func (s *Searcher) skip(text []byte, i int) (int, uint32) {
	if i < len(text) {
		from := i
		i = s.p.prefix.index(text, i)
		s.skips++
		s.skipped += i - from
		if s.skips == s.asked {
			if s.skipped < s.asked*minSkip {
				s.reading, s.span = s.span, min(2*s.span, lastSpan)
				s.use(&s.plain)
			} else {
				s.span = firstSpan
			}
			s.skips, s.skipped = 0, 0
		}
	}
	v := s.startAt(text, i)
	if v&startState == startState {
		v &= rowBits
	}
	return i, v
}

// read is run, but goes no further than it is to read without skips.
func (s *Searcher) read(text []byte, i int, v uint32) (at int, row, next uint32) {
	if s.cache == &s.skipping || s.p.prefix == nil {
		return s.run(text, i, v)
	}
	at, row, next = s.run(text[:min(len(text), i+s.reading)], i, v)
	s.reading -= at - i
	return at, row, next
}

// skipAgain is the value, among the states for skipping, of the state of a row of the others.
func (s *Searcher) skipAgain(row uint32) uint32 {
	st := &s.states[int(row)/s.p.alphabet.nBytes]
	t := s.copied(&s.scratch[0], &st.threads)
	s.use(&s.skipping)
	return s.intern(t, look{word: st.word, begin: st.begin}, st.node)
}

// startAt is the start state at a place.
func (s *Searcher) startAt(text []byte, i int) uint32 {
	if i == 0 || text[i-1] == '\n' {
		return s.starts[0]
	}
	if s.p.alphabet.isWord(text[i-1]) {
		return s.starts[2]
	}
	return s.starts[1]
}

// run reads text from i on, in the state of row v, until a byte leads to a value that is special: then
// it returns where that byte is, the row before and the value. At the end of the text it returns
// the row.
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

// value is what row v of the table says of a class of bytes. Every row has all classes.
func value(table unsafe.Pointer, v uint32, class uint8) uint32 {
	return *(*uint32)(unsafe.Add(table, 4*uintptr(v+uint32(class))))
}
