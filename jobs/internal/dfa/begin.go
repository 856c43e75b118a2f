package dfa

import (
	"regexp/syntax"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/jobs/internal/teddy"
)

const (
	// maxBeginnings is the number of beginnings above which newPrefix tries shorter ones.
	maxBeginnings = 512
	// comparedBeginnings is the maximum number of beginnings that are compared pairwise.
	comparedBeginnings = 48
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
	var leads [utf8.UTFMax + 1]teddy.Set // by length of the character in bytes
	for i := 0; i < len(set); i += 2 {
		first, last := set[i], set[i+1]
		if first < utf8.RuneSelf {
			ascii.Add(byte(first), byte(min(last, utf8.RuneSelf-1)))
		}
		if first == last && first >= utf8.RuneSelf && utf8.ValidRune(first) {
			b.exactly(utf8.AppendRune(nil, first), pc, depth, head)
		} else {
			addLeads(&leads, first, last)
		}
		if first <= utf8.RuneError && last >= utf8.RuneError {
			if depth == 0 {
				b.shortest = 0 // the position could be in the middle of a character
				return
			}
			var any teddy.Set
			any.Add(utf8.RuneSelf, 255)
			b.next(any, pc, 1, depth, head)
		}
	}
	ascii[0] &^= 1 << '\n'
	if ascii != (teddy.Set{}) {
		b.next(ascii, pc, 1, depth, head)
	}
	for size, lead := range leads {
		if lead != (teddy.Set{}) {
			b.next(lead, pc, size, depth, head)
		}
	}
}

// addLeads adds the first bytes of all multi-byte characters from first to last to leads.
func addLeads(leads *[utf8.UTFMax + 1]teddy.Set, first, last rune) {
	for _, size := range []struct {
		first, last rune
		bytes       int
	}{{0x80, 0x7ff, 2}, {0x800, 0xffff, 3}, {0x10000, 0x10ffff, 4}} {
		lo, hi := max(first, size.first), min(last, size.last)
		if lo <= hi {
			leads[size.bytes].Add(leadByte(lo), leadByte(hi))
		}
	}
}

// leadByte returns the first byte of a multi-byte character.
func leadByte(r rune) byte {
	switch {
	case r < 0x800:
		return 0xc0 | byte(r>>6)
	case r < 0x10000:
		return 0xe0 | byte(r>>12)
	default:
		return 0xf0 | byte(r>>18)
	}
}

// next adds the beginnings that have head, a character of size bytes, and what the program reads
// from pc on. The character's first byte is in first; the others are any UTF-8 continuation bytes.
func (b *beginner) next(first teddy.Set, pc uint32, size, depth int, head teddy.Pattern) {
	head[depth] = first
	for i := depth + 1; i < min(depth+size, b.n); i++ {
		head[i] = teddy.Set{}
		head[i].Add(0x80, 0xbf)
	}
	b.walk(pc, min(depth+size, b.n), head)
}

// exactly adds the beginnings that have head, the bytes of encoded, and what is read from pc on.
func (b *beginner) exactly(encoded []byte, pc uint32, depth int, head teddy.Pattern) {
	for i, c := range encoded {
		if depth+i < b.n {
			head[depth+i] = teddy.Set{}
			head[depth+i].Add(c, c)
		}
	}
	b.walk(pc, min(depth+len(encoded), b.n), head)
}

// merged returns the beginnings found, merged until there is one per bucket at most. It returns nil
// if more than maxBeginnings were found.
func (b *beginner) merged() []teddy.Pattern {
	if len(b.found) == 0 || len(b.found) > maxBeginnings {
		return nil
	}
	var all []teddy.Pattern
	for known := b.n; known >= 0; known-- { // merge those with the same first bytes
		all = all[:0]
		groups := map[teddy.Pattern]int{}
		for _, x := range b.found {
			key := x
			for i := known; i < teddy.Bytes; i++ {
				key[i] = teddy.Set{}
			}
			if i, ok := groups[key]; ok {
				all[i] = all[i].With(x)
			} else {
				groups[key], all = len(all), append(all, x)
			}
		}
		if len(all) <= comparedBeginnings {
			break
		}
	}
	for len(all) > teddy.Buckets {
		all = mergeNearest(all)
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
