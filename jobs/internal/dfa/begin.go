package dfa

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/jobs/internal/teddy"
)

const (
	// maxBeginnings is the number of beginnings above which newPrefix tries shorter ones.
	maxBeginnings = 512
	// maxShare is the share of text positions that a useful prefix matches at most, in parts per
	// 10⁹.
	maxShare = 120_000_000
)

// beginner collects the possible beginnings of matches: the possible values of each of their first
// n bytes.
type beginner struct {
	p    *Program
	sets [][]rune
	n    int // length of a beginning in bytes
	// shortest is the minimum length of a match in bytes, at most n
	shortest int
	found    []teddy.Pattern
	known    map[teddy.Pattern]bool
}

// newPrefix returns the prefix of a program with these character sets. It returns nil if a prefix
// would not help: a match can be empty, or begin with nearly anything.
func newPrefix(p *Program, sets [][]rune) *teddy.Table {
	for n := teddy.Bytes; n > 0; n-- {
		b := beginner{p: p, sets: sets, n: n, shortest: n, known: map[teddy.Pattern]bool{}}
		b.walk(p.start, 0, teddy.Pattern{})
		if b.shortest < n {
			n = b.shortest + 1 // try again with a shorter beginning
			continue
		}
		if all := b.merged(); all != nil {
			share := 0
			for _, x := range all {
				share += x.Share()
			}
			if share > maxShare {
				return nil
			}
			return teddy.New(all, n)
		}
	}
	return nil
}

// walk adds the beginnings that have the first depth bytes of head, followed by what the program
// can read from instruction pc on.
func (b *beginner) walk(pc uint32, depth int, head teddy.Pattern) {
	if depth == b.n || len(b.found) > maxBeginnings {
		if !b.known[head] {
			b.known[head], b.found = true, append(b.found, head)
		}
		return
	}
	seen := make([]bool, len(b.p.insts))
	stack := []uint32{pc}
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := &b.p.insts[pc]; i.op {
		case syntax.InstMatch:
			b.shortest = min(b.shortest, depth)
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, i.arg, i.out)
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth: // an assertion may hold
			stack = append(stack, i.out)
		case syntax.InstRune:
			b.read(b.sets[i.set], i.out, depth, head)
		default: // never matches
		}
	}
}

// read adds the beginnings of head, a character of set, and what the program reads from pc on.
func (b *beginner) read(set []rune, pc uint32, depth int, head teddy.Pattern) {
	var ascii teddy.Set
	var leads [utf8.UTFMax + 1]teddy.Set // first bytes by length of the character in bytes
	for i := 0; i < len(set); i += 2 {
		first, last := set[i], set[i+1]
		if first < utf8.RuneSelf {
			ascii.Add(byte(first), byte(min(last, utf8.RuneSelf-1)))
		}
		if first == last && first >= utf8.RuneSelf && utf8.ValidRune(first) {
			var exact []teddy.Set
			for _, c := range utf8.AppendRune(nil, first) {
				exact = append(exact, between(c, c))
			}
			b.next(pc, depth, head, exact...)
		} else {
			addLeads(&leads, first, last)
		}
		if first <= utf8.RuneError && last >= utf8.RuneError {
			if depth == 0 {
				b.shortest = 0 // the position could be in the middle of a character
				return
			}
			b.next(pc, depth, head, between(utf8.RuneSelf, 255))
		}
	}
	ascii[0] &^= 1 << '\n'
	if ascii != (teddy.Set{}) {
		b.next(pc, depth, head, ascii)
	}
	for size, lead := range leads {
		if lead != (teddy.Set{}) {
			more := between(0x80, 0xbf)
			b.next(pc, depth, head, append([]teddy.Set{lead}, slices.Repeat([]teddy.Set{more}, size-1)...)...)
		}
	}
}

func between(first, last byte) (s teddy.Set) {
	s.Add(first, last)
	return s
}

// addLeads adds the first bytes of all multi-byte characters from first to last to leads.
func addLeads(leads *[utf8.UTFMax + 1]teddy.Set, first, last rune) {
	for i, size := range []struct {
		first, last rune
		mark        byte
	}{{0x80, 0x7ff, 0xc0}, {0x800, 0xffff, 0xe0}, {0x10000, 0x10ffff, 0xf0}} {
		lo, hi, shift := max(first, size.first), min(last, size.last), 6*(i+1)
		if lo <= hi {
			leads[i+2].Add(size.mark|byte(lo>>shift), size.mark|byte(hi>>shift))
		}
	}
}

// next adds the beginnings that have head, a character with these sets of bytes, and what the
// program reads from pc on.
func (b *beginner) next(pc uint32, depth int, head teddy.Pattern, character ...teddy.Set) {
	copy(head[depth:b.n], character)
	b.walk(pc, min(depth+len(character), b.n), head)
}

// merged returns the beginnings found, merged until there is one per bucket at most. It returns nil
// if more than maxBeginnings were found.
func (b *beginner) merged() (all []teddy.Pattern) {
	if len(b.found) > maxBeginnings {
		return nil
	}
	for _, x := range b.found {
		if all = append(all, x); len(all) > teddy.Buckets {
			all = mergeNearest(all)
		}
	}
	return all
}

// mergeNearest merges the two beginnings whose union matches the fewest additional positions.
func mergeNearest(all []teddy.Pattern) []teddy.Pattern {
	shares := make([]int, len(all))
	for i := range all {
		shares[i] = all[i].Share()
	}
	bestI, bestJ, best := 0, 1, int(^uint(0)>>1)
	for i := range all {
		for j := range i {
			union := all[i].With(all[j])
			if more := union.Share() - shares[i] - shares[j]; more < best {
				bestI, bestJ, best = i, j, more
			}
		}
	}
	all[bestJ] = all[bestJ].With(all[bestI])
	all[bestI] = all[len(all)-1]
	return all[:len(all)-1]
}
