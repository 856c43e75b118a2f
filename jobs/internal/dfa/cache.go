package dfa

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// An entry of the table is the offset of a state's row, or a special value with flag bits.
const (
	special    = 1 << 31
	matchValue = special | 1<<30 // the line matches
	deadValue  = special | 1<<29 // the line cannot match
	noValue    = special         // not computed yet
	startState = special | 1<<28 // no match has begun: the text up to the next possible beginning may be skipped
	rowBits    = 1<<28 - 1
)

// state is a state of the automaton: what its row in the table stands for.
type state struct {
	threads
	word, begin bool   // word and begin of its look, if threads wait for the next character
	begun       string // the bytes read of a multi-byte character, or those that stand for them
}

// cache is the table of the automaton: the states created so far, and transitions between them.
type cache struct {
	specialStarts bool     // start states are marked special
	table         []uint32 // one row per state
	states        []state
	ids           map[string]uint32
	heldBytes     int // approximate size in bytes of the fields above
	clears        int // number of calls of clear

	begin    uint32    // the state at the start of a line
	starts   [3]uint32 // the start states: at the start of a line, after a non-word character, after a word character
	starting bool      // the states that are created now are start states
}

// clear empties the table, and creates the start states again.
func (s *Searcher) clear() {
	s.table, s.states, s.ids, s.heldBytes = s.table[:0], s.states[:0], make(map[string]uint32), 0
	s.clears++
	s.starting = true
	for i, l := range []look{{begin: true}, {}, {word: true}} {
		s.from(&s.first, l)
		s.starts[i] = s.intern(&s.first, l, "")
	}
	s.begin, s.starting = s.starts[0], false
}

// intern returns the table's value for a state: threads t, at a position with the properties l,
// after the first bytes of a character. It creates a missing state, with a copy of t.
func (s *Searcher) intern(t *threads, l look, begun string) uint32 {
	if t.matched {
		return matchValue
	}
	if len(t.pcs) == 0 {
		return deadValue
	}
	if !t.waiting { // the position does not affect the next step
		l = look{}
	}
	slices.Sort(t.pcs)
	flags := byte(0)
	if l.word {
		flags |= 1
	}
	if l.begin {
		flags |= 2
	}
	s.key = append(append(s.key[:0], flags, byte(len(begun))), begun...)
	last := uint32(0)
	for _, pc := range t.pcs {
		s.key = binary.AppendUvarint(s.key, uint64(pc-last))
		last = pc
	}
	s.work += int64(len(t.pcs))
	if v, ok := s.ids[string(s.key)]; ok {
		return v
	}
	return s.add(state{
		threads: threads{pcs: slices.Clone(t.pcs), waiting: t.waiting},
		word:    l.word, begin: l.begin, begun: begun,
	})
}

// add creates a row for the state st, whose key is s.key, and returns the table's value for it.
func (s *Searcher) add(st state) uint32 {
	if len(s.states) > 0 && s.heldBytes > s.maxCache {
		key := slices.Clone(s.key)
		s.clear()
		s.key = key
		if v, ok := s.ids[string(s.key)]; ok { // clear has just created the same state as a start state
			return v
		}
	}
	const stateBytes = 200 // approximate, with its key
	v := uint32(len(s.table))
	if s.starting && s.specialStarts {
		v |= startState
	}
	s.states = append(s.states, st)
	for range s.p.alphabet.nBytes {
		s.table = append(s.table, noValue)
	}
	s.heldBytes += 4*s.p.alphabet.nBytes + 8*len(st.pcs) + stateBytes
	s.ids[string(s.key)] = v
	s.work += workOfState
	return v
}

// build computes a state's transition for a byte and stores it in the table.
func (s *Searcher) build(from uint32, b byte) uint32 {
	row := int(from & rowBits)
	st := &s.states[row/s.p.alphabet.nBytes]
	clears := s.clears
	v := s.next(st, b)
	if s.clears == clears {
		s.table[row+int(s.p.alphabet.bytes[b])] = v
	}
	return v
}

// next returns the table's value for the state that follows st when it reads b. It decodes UTF-8 as
// package unicode/utf8 does: a byte that is not part of a valid character is U+FFFD by itself.
func (s *Searcher) next(st *state, b byte) uint32 {
	s.work += workOfStep
	now, l := &st.threads, look{word: st.word, begin: st.begin}
	rest := append(append(s.begun[:0], st.begun...), b)
	for i := 0; utf8.FullRune(rest); i++ {
		r, size := utf8.DecodeRune(rest)
		if rest = rest[size:]; r == '\n' {
			l.after = lineEnd
			if s.settle(now, l).matched {
				return matchValue
			}
			return s.begin
		}
		to := &s.scratch[i%2]
		if l = s.take(to, now, l, s.p.alphabet.search(r)); to.matched {
			return matchValue
		}
		now = to
	}
	return s.intern(now, l, s.merged(rest))
}
