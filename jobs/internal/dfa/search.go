package dfa

import (
	"bytes"
	"unicode/utf8"
	"unsafe"
)

const (
	// maxHeld is the size in bytes of the states beyond which a Searcher clears its table.
	maxHeld = 2 << 20
	// workOfState is the cost of creating a state, and workOfStep that of a transition. A unit is
	// the examination of an instruction, about 5 ns.
	workOfState = 60
	workOfStep  = 10
	// freeWork is the work, in units, that Next may do before it can give up.
	freeWork = 100_000
	// minSkip is the average length in bytes from which skips pay; shorter ones cost more than they
	// save.
	minSkip = 10
	// checkedSkips is the number of skips after which Next checks their average length.
	checkedSkips = 64
	// firstSpan is how many bytes are read without skips after skips did not pay. It doubles each
	// time they do not pay, and halves each time they do.
	firstSpan = 16 << 10
	// firstRest is how many bytes package regexp searches after a Searcher gave up. It doubles each
	// further time.
	firstRest = 1 << 20
)

// Searcher finds the lines that match a Program, and caches the states that it reaches. One
// goroutine at a time may use it.
type Searcher struct {
	p        *Program
	anchored bool // matches begin only where a search begins

	table     []uint32 // one row per state
	states    []state
	ids       map[string]uint32
	starts    [3]uint32 // the states in which no match has begun, by before
	heldBytes int       // approximate size in bytes of the fields above
	maxHeld   int       // maxHeld, except without limit
	clears    int       // number of calls of clear

	skipping     bool // text is skipped in start states
	checkAfter   int  // checkedSkips, except in tests
	skips        int  // number of skips since their average length was last checked
	skippedBytes int  // bytes skipped by these
	spanSize     int  // bytes of the last span read without skips
	spanLeft     int  // bytes of that span not read yet

	work, scanned      int64 // units of work done, and bytes read with it
	restSize, restLeft int64 // bytes that other methods shall search after the Searcher gave up, in all and from here on

	// scratch
	stack   []uint32
	seen    []uint32 // the last round in which follow has seen each instruction
	round   uint32
	reading []uint32
	pcs     []uint32
	key     []byte
	begun   [utf8.UTFMax]byte
}

// NewSearcher returns a Searcher without states.
func (p *Program) NewSearcher() *Searcher {
	s := &Searcher{
		p: p, ids: map[string]uint32{}, seen: make([]uint32, len(p.Inst)),
		maxHeld: maxHeld, checkAfter: checkedSkips, spanSize: firstSpan,
	}
	s.use(p.prefix != nil)
	return s
}

// use switches skipping on or off.
func (s *Searcher) use(skipping bool) {
	s.skipping = skipping
	s.clear()
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
// With Found it returns the start of that line, and a position in it: a byte of it, including its
// line feed, or len(text) in a last line without one. With GaveUp it returns the start of the first
// undecided line.
func (s *Searcher) Next(text []byte, from int) (start, at int, o Outcome) {
	v, i := s.starts[lineStart], from
	for i < len(text) && v != matchValue {
		switch {
		case v == deadValue:
			j := bytes.IndexByte(text[i:], '\n')
			if j < 0 || s.starts[lineStart] == deadValue {
				s.scanned += int64(len(text) - from)
				return 0, 0, None
			}
			i, v = i+j+1, s.starts[lineStart]
			continue
		case v&startState == startState:
			if i, v = s.skip(text, i); v&special != 0 || i == len(text) { // dead except at the start of a line
				continue
			}
		}
		var row uint32
		if i, row, v = s.read(text, i, v); v&special == 0 {
			continue
		}
		if v == noValue {
			v = s.build(row, text[i])
			if s.work > freeWork+s.scanned+int64(i-from) {
				s.work, s.scanned = 0, 0
				s.restSize = max(2*s.restSize, firstRest)
				s.restLeft = s.restSize
				return lineOf(text, from, i), i, GaveUp
			}
		}
		i++
	}
	s.scanned += int64(i - from)
	switch {
	case v == matchValue: // before the last byte read
		return lineOf(text, from, i-1), i - 1, Found
	case v&special == 0 && i > from && text[i-1] != '\n' && s.build(v, '\n') == matchValue:
		return lineOf(text, from, i), i, Found
	}
	return 0, 0, None
}

// lineOf returns the start of the line of text[at], and not before from.
func lineOf(text []byte, from, at int) int {
	return from + bytes.LastIndexByte(text[from:at], '\n') + 1
}

// Rest reports whether the caller must search the next n bytes by another method, since Next gave
// up some bytes before.
func (s *Searcher) Rest(n int) bool {
	resting := s.restLeft > 0
	if resting {
		s.restLeft -= int64(n)
	}
	return resting
}

// skip returns the next position from i on at which a match may begin, or the end of the text, and
// the start state there.
func (s *Searcher) skip(text []byte, i int) (int, uint32) {
	from := i
	i = s.p.prefix.Index(text, i)
	s.skips++
	s.skippedBytes += i - from
	if s.skips == s.checkAfter {
		if s.skippedBytes < s.checkAfter*minSkip {
			s.spanLeft, s.spanSize = s.spanSize, 2*s.spanSize
			s.use(false)
		} else {
			s.spanSize = max(s.spanSize/2, firstSpan)
		}
		s.skips, s.skippedBytes = 0, 0
	}
	v := s.starts[lineStart]
	if i > 0 && text[i-1] != '\n' {
		v = s.starts[s.p.after(rune(text[i-1]))]
	}
	return i, notSkipping(v)
}

// notSkipping returns the table's value v without the mark of a start state.
func notSkipping(v uint32) uint32 {
	if v&startState == startState {
		v &= rowBits
	}
	return v
}

// read is run that stops at the end of the current span, after which it switches to skipping.
func (s *Searcher) read(text []byte, i int, v uint32) (at int, row, next uint32) {
	if s.skipping || s.p.prefix == nil {
		return s.run(text, i, v)
	}
	at, row, next = s.run(text[:min(len(text), i+s.spanLeft)], i, v)
	if s.spanLeft -= at - i; next&special == 0 && at < len(text) {
		st := *s.stateOf(row)
		s.use(true)
		next = notSkipping(s.intern(st.pcs, st.before, []byte(st.begun)))
	}
	return at, row, next
}

// run reads text from i on, starting in row v, until a byte leads to a special value. It returns
// the byte's position, the row before it and the value. At the end of the text it returns the row.
func (s *Searcher) run(text []byte, i int, v uint32) (at int, row, next uint32) {
	p, table := unsafe.Pointer(unsafe.SliceData(text)), unsafe.Pointer(unsafe.SliceData(s.table))
	classes := &s.p.alphabet.classes
	for ; i+4 <= len(text); i += 4 {
		b := (*[4]byte)(unsafe.Add(p, i))
		v1 := entry(table, v, classes[b[0]])
		if v1&special != 0 {
			return i, v, v1
		}
		v2 := entry(table, v1, classes[b[1]])
		if v2&special != 0 {
			return i + 1, v1, v2
		}
		v3 := entry(table, v2, classes[b[2]])
		if v3&special != 0 {
			return i + 2, v2, v3
		}
		if v = entry(table, v3, classes[b[3]]); v&special != 0 {
			return i + 3, v3, v
		}
	}
	for ; i < len(text); i++ {
		next := entry(table, v, classes[text[i]])
		if next&special != 0 {
			return i, v, next
		}
		v = next
	}
	return i, v, v
}

// entry returns the entry of row v for a byte class. Every row has an entry for each class.
func entry(table unsafe.Pointer, v uint32, class uint8) uint32 {
	return *(*uint32)(unsafe.Add(table, 4*uintptr(v+uint32(class))))
}
