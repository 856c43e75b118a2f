package dfa

import "regexp/syntax"

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

// take is what a character of a class leads to: threads t at the place l become next, at the place
// that is returned.
func (s *Searcher) take(next, t *threads, l look, class int32) look {
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
