package dfa

import "regexp/syntax"

const (
	beginOps = syntax.EmptyBeginLine | syntax.EmptyBeginText
	endOps   = syntax.EmptyEndLine | syntax.EmptyEndText
	wordOps  = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
)

// look is what is known of a position between two characters, to decide assertions such as \b.
type look struct {
	begin bool // a line begins here
	word  bool // the character before is a word character
	after ahead
}

// ahead is what is known of the character after a position.
type ahead uint8

const (
	unknown ahead = iota
	lineEnd
	wordNext
	otherNext
)

// holds reports whether the assertions in op, such as ^ or \b, hold here. sure is false if that
// depends on the next character.
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

// threads is a set of instructions that wait for the next character: those that read one, and
// assertions that depend on it. matched means that a match has ended.
type threads struct {
	pcs     []uint32
	matched bool
	waiting bool // pcs has assertions
}

// follow adds pc to t, and all instructions that it leads to without reading a character. seen and
// round mark those that t already has.
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
		default: // never matches
		}
	}
}

// from sets t to the threads at the start of the expression, where a match may begin.
func (s *Searcher) from(t *threads, l look) {
	t.pcs, t.matched, t.waiting = t.pcs[:0], false, false
	s.round++
	s.follow(t, s.p.start, l)
}

// settle returns t without waiting assertions: l has the next character, which decides them. The
// result is valid until the next call.
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

// take stores in next the threads that follow t, at a position with properties l, after a character
// of the class. It returns the properties of the next position.
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
