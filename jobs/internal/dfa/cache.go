package dfa

import (
	"encoding/binary"
	"slices"
)

// Values of the table: where the row of a state begins, with bits that say what is special.
const (
	special    = 1 << 31
	matched    = special | 1<<30 // the line matches
	dead       = special | 1<<29 // the line cannot match any more
	startState = special | 1<<28 // nothing has been begun: what cannot begin a match may be skipped
	rowBits    = 1<<28 - 1

	matchValue = matched
	deadValue  = dead
	noValue    = special // has to be found out
)

// state is what a row of the table stands for.
type state struct {
	threads
	word, begin bool // of the place, where threads wait
	node        int32
}

// cache holds states and what each byte leads to from them.
type cache struct {
	specialStarts bool     // start states are special
	table         []uint32 // a row for each state
	states        []state
	ids           map[string]uint32
	held          int // bytes of all that
	clears        int

	begin    uint32    // the state where a line begins
	starts   [3]uint32 // the states in which nothing has been begun: there, behind no word, behind one
	starting bool      // states being made are those
}

// clear forgets all states but those to begin with.
func (s *Searcher) clear() {
	s.table, s.states, s.ids, s.held = s.table[:0], s.states[:0], make(map[string]uint32), 0
	s.clears++
	s.starting = true
	for i, l := range []look{{begin: true}, {}, {word: true}} {
		s.from(&s.first, l)
		s.starts[i] = s.intern(&s.first, l, 0)
	}
	s.begin, s.starting = s.starts[0], false
}

// intern is the value of a state, which is made if there is none. The threads are copied.
func (s *Searcher) intern(t *threads, l look, at int32) uint32 {
	if t.matched {
		return matchValue
	}
	if len(t.pcs) == 0 {
		return deadValue
	}
	if !t.waiting {
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
	s.key = append(s.key[:0], flags)
	s.key = binary.AppendUvarint(s.key, uint64(at))
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
		word:    l.word, begin: l.begin, node: at,
	})
}

// add makes a row for a state whose key is s.key.
func (s *Searcher) add(st state) uint32 {
	if len(s.states) > 0 && s.held > s.most {
		key := slices.Clone(s.key)
		s.clear()
		s.key = key
		if v, ok := s.ids[string(s.key)]; ok { // one of those to begin with
			return v
		}
	}
	const stateBytes = 200 // with its key, about
	v := uint32(len(s.table))
	if s.starting && s.specialStarts {
		v |= startState
	}
	s.states = append(s.states, st)
	for range s.p.alphabet.nBytes {
		s.table = append(s.table, noValue)
	}
	s.held += 4*s.p.alphabet.nBytes + 8*len(st.pcs) + stateBytes
	s.ids[string(s.key)] = v
	s.work += workOfState
	return v
}

// build finds what a state leads to at a byte, and enters it into the table.
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

// next is the value of the state behind st at a byte.
func (s *Searcher) next(st *state, b byte) uint32 {
	s.work += workOfStep
	now, l := &st.threads, look{word: st.word, begin: st.begin}
	if st.node != 0 {
		within, class := s.decoder.step(st.node, b)
		switch {
		case class >= 0:
			l = s.take(&s.scratch[0], now, l, class)
			return s.intern(&s.scratch[0], l, 0)
		case within > 0:
			return s.intern(s.copied(&s.scratch[0], now), l, within)
		}
		for i := range s.decoder.nodes[st.node].length { // no character: each byte counts as U+FFFD
			to := &s.scratch[i%2]
			if l = s.take(to, now, l, s.p.alphabet.fffd); to.matched {
				return matchValue
			}
			now = to
		}
	}
	to := &s.scratch[0]
	if now == to {
		to = &s.scratch[1]
	}
	switch {
	case b == '\n':
		l.after = lineEnd
		if s.settle(now, l).matched {
			return matchValue
		}
		return s.begin
	case b < 0x80:
		l = s.take(to, now, l, s.p.alphabet.ascii[b])
		return s.intern(to, l, 0)
	}
	if within := s.decoder.lead(b); within > 0 {
		return s.intern(s.copied(to, now), l, within)
	}
	l = s.take(to, now, l, s.p.alphabet.fffd)
	return s.intern(to, l, 0)
}

// copied makes to the same as t; it may be t.
func (s *Searcher) copied(to, t *threads) *threads {
	to.pcs, to.matched, to.waiting = append(to.pcs[:0], t.pcs...), false, t.waiting
	return to
}
