package dfa

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// An entry of the table is the offset of a state's row, or a special value with flag bits.
const (
	special    = 1 << 31
	matchValue = special | 1<<30 // the line matches
	deadValue  = special | 1<<29 // the line cannot match
	noValue    = special         // not computed yet
	startState = special | 1<<28 // no match has begun: the text up to the next possible one may be skipped
	rowBits    = 1<<28 - 1
)

// before is what is known of the character before a position, to decide assertions such as \b.
type before uint8

const (
	lineStart before = iota
	noWord           // not a word character, or the program has neither \b nor \B
	word
)

// example is a character that stands for all such, as in [syntax.EmptyOpContext].
var example = [...]rune{lineStart: -1, noWord: ' ', word: 'a'}

// lineEnd stands for the character after the last one of a line.
const lineEnd = -1

// after returns what is known after a character.
func (p *Program) after(r rune) before {
	if p.words && syntax.IsWordChar(r) {
		return word
	}
	return noWord
}

// state is a state of the automaton: what its row in the table stands for.
type state struct {
	pcs    []uint32 // the instructions to follow once the next character is known
	before before
	begun  string // the bytes read of a multi-byte character, or of one that is treated alike
}

// clear empties the table, and creates the start states again.
func (s *Searcher) clear() {
	clear(s.ids)
	s.table, s.states, s.heldBytes = s.table[:0], s.states[:0], 0
	s.clears++
	for b := range s.starts {
		s.starts[b] = s.intern([]uint32{uint32(s.p.Start)}, before(b), nil)
	}
}

// isStart reports whether a Searcher skips text in such a state.
func (s *Searcher) isStart(st state) bool {
	return s.skipping && len(st.pcs) == 1 && st.pcs[0] == uint32(s.p.Start) && st.begun == ""
}

// intern returns the table's value for a state after the first bytes of a character. It creates a
// missing state, with a copy of pcs.
func (s *Searcher) intern(pcs []uint32, b before, begun []byte) uint32 {
	slices.Sort(pcs)
	pcs = slices.Compact(pcs)
	s.key = s.p.alphabet.appendBegun(append(s.key[:0], byte(b)), begun)
	last := uint32(0)
	for _, pc := range pcs {
		s.key = binary.AppendUvarint(s.key, uint64(pc-last))
		last = pc
	}
	s.work += int64(len(pcs))
	if v, ok := s.ids[string(s.key)]; ok {
		return v
	}
	key := string(s.key)
	if len(s.states) > 0 && s.heldBytes > s.maxHeld {
		s.clear()
		if v, ok := s.ids[key]; ok { // clear has just created the same state as a start state
			return v
		}
	}
	v := uint32(deadValue)
	if s.canMatch(pcs, b) {
		v = s.add(state{pcs: slices.Clone(pcs), before: b, begun: string(begun)})
	}
	const stateBytes = 200 // approximate, with its key
	s.heldBytes += stateBytes + 8*len(pcs)
	s.ids[key] = v
	s.work += workOfState
	return v
}

// canMatch reports whether a match can follow, whatever the next character.
func (s *Searcher) canMatch(pcs []uint32, b before) bool {
	possible := syntax.EmptyOp(0)
	for _, next := range []rune{lineEnd, example[noWord], example[word]} {
		possible |= syntax.EmptyOpContext(example[b], next)
	}
	reading, matched := s.follow(pcs, possible)
	return matched || len(reading) > 0
}

// add creates a row for a state and returns the table's value for it.
func (s *Searcher) add(st state) uint32 {
	v := uint32(len(s.table))
	if s.isStart(st) {
		v |= startState
	}
	s.states = append(s.states, st)
	for range s.p.alphabet.size {
		s.table = append(s.table, noValue)
	}
	s.heldBytes += 4 * s.p.alphabet.size
	return v
}

// stateOf returns the state of a row.
func (s *Searcher) stateOf(row uint32) *state { return &s.states[int(row&rowBits)/s.p.alphabet.size] }

// value returns the table's value after a byte in the state of a row.
func (s *Searcher) value(row uint32, b byte) uint32 {
	if v := s.table[row+uint32(s.p.alphabet.classes[b])]; v != noValue {
		return v
	}
	return s.build(row, b)
}

// build computes a state's transition for a byte and stores it in the table.
func (s *Searcher) build(row uint32, b byte) uint32 {
	clears := s.clears
	v := s.next(s.stateOf(row), b)
	if s.clears == clears {
		s.table[row+uint32(s.p.alphabet.classes[b])] = v
	}
	return v
}

// next returns the table's value for the state that follows st when it reads b. It decodes UTF-8 as
// package unicode/utf8 does: a byte that is not part of a valid character is U+FFFD by itself.
func (s *Searcher) next(st *state, b byte) uint32 {
	s.work += workOfStep
	pcs, before := st.pcs, st.before
	rest := append(append(s.begun[:0], st.begun...), b)
	for utf8.FullRune(rest) {
		r, size := utf8.DecodeRune(rest)
		if rest = rest[size:]; r == '\n' {
			r = lineEnd
		}
		reading, matched := s.follow(pcs, syntax.EmptyOpContext(example[before], r))
		switch {
		case matched:
			return matchValue
		case r == lineEnd:
			return s.starts[lineStart]
		}
		pcs, before = s.step(reading, r), s.p.after(r)
	}
	return s.intern(pcs, before, rest)
}

// follow returns the instructions that read a character and that pcs lead to if the assertions ops
// hold, and no others. matched says that a match ends. The next call overwrites the result.
func (s *Searcher) follow(pcs []uint32, ops syntax.EmptyOp) (reading []uint32, matched bool) {
	s.round++
	s.stack, s.reading = append(s.stack[:0], pcs...), s.reading[:0]
	for len(s.stack) > 0 {
		pc := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if s.seen[pc] == s.round {
			continue
		}
		s.seen[pc] = s.round
		s.work++
		switch i := &s.p.Inst[pc]; i.Op {
		case syntax.InstMatch:
			return nil, true
		case syntax.InstAlt, syntax.InstAltMatch:
			s.stack = append(s.stack, i.Arg, i.Out)
		case syntax.InstCapture, syntax.InstNop:
			s.stack = append(s.stack, i.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^ops == 0 {
				s.stack = append(s.stack, i.Out)
			}
		case syntax.InstFail:
		default:
			s.reading = append(s.reading, pc)
		}
	}
	return s.reading, false
}

// step returns the instructions that follow those that read r, and the start of the expression,
// since a match may begin behind r. The next call overwrites the result.
func (s *Searcher) step(reading []uint32, r rune) []uint32 {
	s.pcs = s.pcs[:0]
	if !s.anchored {
		s.pcs = append(s.pcs, uint32(s.p.Start))
	}
	for _, pc := range reading {
		if i := &s.p.Inst[pc]; i.MatchRune(r) {
			s.pcs = append(s.pcs, i.Out)
		}
	}
	s.work += int64(len(reading))
	return s.pcs
}
