package dfa

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

const (
	beginOps = syntax.EmptyBeginLine | syntax.EmptyBeginText
	endOps   = syntax.EmptyEndLine | syntax.EmptyEndText
	wordOps  = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
)

// look is what is known of the place between two characters.
type look struct {
	begin bool // a line begins here
	word  bool // the character before is of a word
	after ahead
}

// ahead is what comes next.
type ahead uint8

const (
	unknown ahead = iota
	lineEnd
	wordNext
	otherNext
)

// holds tells whether an assertion holds here; with sure false that depends on what comes next.
func (l look) holds(op syntax.EmptyOp) (yes, sure bool) {
	if op&beginOps != 0 && !l.begin {
		return false, true
	}
	if op&(endOps|wordOps) == 0 {
		return true, true
	}
	if l.after == unknown {
		return false, false
	}
	boundary := l.word != (l.after == wordNext)
	return (op&endOps == 0 || l.after == lineEnd) &&
		(op&syntax.EmptyWordBoundary == 0 || boundary) &&
		(op&syntax.EmptyNoWordBoundary == 0 || !boundary), true
}

// threads are instructions that wait for the next character: of those that read one, and of
// assertions that depend on it. matched says that a match has ended.
type threads struct {
	pcs     []uint32
	matched bool
	waiting bool // there are assertions
}

// follow adds what is reached from pc without reading anything. seen and round know what was added
// already.
func (s *Searcher) follow(t *threads, pc uint32, l look) {
	s.stack = append(s.stack[:0], pc)
	for len(s.stack) > 0 {
		pc := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if s.seen[pc] == s.round {
			continue
		}
		s.seen[pc] = s.round
		s.work++
		switch i := &s.p.insts[pc]; i.op {
		case syntax.InstRune:
			t.pcs = append(t.pcs, pc)
		case syntax.InstMatch:
			t.matched = true
			return
		case syntax.InstAlt, syntax.InstAltMatch:
			s.stack = append(s.stack, i.arg, i.out)
		case syntax.InstCapture, syntax.InstNop:
			s.stack = append(s.stack, i.out)
		case syntax.InstEmptyWidth:
			switch yes, sure := l.holds(syntax.EmptyOp(i.arg)); {
			case !sure:
				t.pcs, t.waiting = append(t.pcs, pc), true
			case yes:
				s.stack = append(s.stack, i.out)
			}
		default: // fails
		}
	}
}

// from begins a new set of threads, with one at the start of the expression: a match may begin
// anywhere.
func (s *Searcher) from(t *threads, l look) {
	t.pcs, t.matched, t.waiting = t.pcs[:0], false, false
	s.round++
	s.follow(t, s.p.start, l)
}

// settle decides the assertions that wait for what comes next. What it gives is valid until the
// next call.
func (s *Searcher) settle(t *threads, l look) *threads {
	if !t.waiting {
		return t
	}
	settled := &s.settled
	settled.pcs, settled.matched, settled.waiting = settled.pcs[:0], false, false
	s.round++
	for _, pc := range t.pcs {
		if s.follow(settled, pc, l); settled.matched {
			break
		}
	}
	return settled
}

// read is what a character of a class leads to: threads t at the place l become next, at the place
// that is returned.
func (s *Searcher) read(next, t *threads, l look, class int32) look {
	word := s.p.alphabet.words[class]
	if l.after = otherNext; word {
		l.after = wordNext
	}
	t = s.settle(t, l)
	here := look{word: word}
	if t.matched {
		next.matched = true
		return here
	}
	s.from(next, here)
	for _, pc := range t.pcs {
		i := &s.p.insts[pc]
		if s.work++; i.op == syntax.InstRune && s.p.sets[i.set][class] {
			if s.follow(next, i.out, here); next.matched {
				break
			}
		}
	}
	return here
}

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
	if len(s.states) > 0 && s.held > maxHeld {
		key := slices.Clone(s.key)
		s.clear()
		s.key = key
		if v, ok := s.ids[string(s.key)]; ok { // one of those to begin with
			return v
		}
	}
	const stateBytes = 200 // with its key, about
	v := uint32(len(s.table))
	if s.starting && s.accelerated {
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
			l = s.read(&s.scratch[0], now, l, class)
			return s.intern(&s.scratch[0], l, 0)
		case within > 0:
			return s.intern(s.copied(&s.scratch[0], now), l, within)
		}
		for i := range s.decoder.nodes[st.node].length { // no character: each byte counts as U+FFFD
			to := &s.scratch[i%2]
			if l = s.read(to, now, l, s.p.alphabet.fffd); to.matched {
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
		l = s.read(to, now, l, s.p.alphabet.ascii[b])
		return s.intern(to, l, 0)
	}
	if within := s.decoder.lead(b); within > 0 {
		return s.intern(s.copied(to, now), l, within)
	}
	l = s.read(to, now, l, s.p.alphabet.fffd)
	return s.intern(to, l, 0)
}

// copied makes to the same as t; it may be t.
func (s *Searcher) copied(to, t *threads) *threads {
	to.pcs, to.matched, to.waiting = append(to.pcs[:0], t.pcs...), false, t.waiting
	return to
}
