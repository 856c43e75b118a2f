package dfa

import (
	"regexp/syntax"
	"unicode/utf8"
)

const (
	// maxBeginnings is how many kinds of beginning are gathered before they are put into buckets.
	maxBeginnings = 512
	// comparedBeginnings is how many of them are compared each with each.
	comparedBeginnings = 48
	// maxShare is how many of 10⁹ places may look like a beginning for a prefix to be of use.
	maxShare = 120_000_000
)

// beginner gathers how matches begin.
type beginner struct {
	p    *Program
	sets [][]rune
	n    int // bytes of a beginning
	// the shortest match, in bytes, as far as it is less than n
	shortest int
	found    []beginning
	known    map[beginning]bool
}

// newPrefix is for a program whose sets of characters are given; nil if its matches can begin with
// nothing at all or nearly anything.
func newPrefix(p *Program, sets [][]rune) *prefix {
	for n := prefixBytes; n > 0; n-- {
		b := beginner{p: p, sets: sets, n: n, shortest: n, known: map[beginning]bool{}}
		b.walk(p.start, 0, beginning{})
		if b.shortest < n {
			n = b.shortest + 1 // again, with that many
			continue
		}
		if all := b.merged(); all != nil {
			share := 0
			for _, x := range all {
				share += x.share()
			}
			if share > maxShare {
				return nil
			}
			return tables(all, n)
		}
	}
	return nil
}

// walk adds the beginnings that go on, after depth bytes, with what is read from pc on.
func (b *beginner) walk(pc uint32, depth int, so beginning) {
	if depth == b.n || len(b.found) > maxBeginnings {
		if !b.known[so] {
			b.known[so], b.found = true, append(b.found, so)
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
		case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth: // any assertion may hold
			stack = append(stack, i.out)
		case syntax.InstRune:
			b.read(b.sets[i.set], i.out, depth, so)
		default: // fails
		}
	}
}

// read adds the beginnings that go on with a character of the set and then from pc on.
func (b *beginner) read(set []rune, pc uint32, depth int, so beginning) {
	var ascii byteSet
	var leads [utf8.UTFMax + 1]byteSet // of characters of so many bytes
	for i := 0; i < len(set); i += 2 {
		first, last := set[i], set[i+1]
		if first < utf8.RuneSelf {
			ascii.add(byte(first), byte(min(last, utf8.RuneSelf-1)))
		}
		if first == last && first >= utf8.RuneSelf && utf8.ValidRune(first) {
			b.exactly(utf8.AppendRune(nil, first), pc, depth, so)
		} else {
			addLeads(&leads, first, last)
		}
		if first <= utf8.RuneError && last >= utf8.RuneError {
			if depth == 0 {
				b.shortest = 0 // what is found might be in the middle of a character
				return
			}
			var any byteSet
			any.add(utf8.RuneSelf, 255)
			b.next(any, pc, 1, depth, so)
		}
	}
	ascii[0] &^= 1 << '\n'
	if ascii != (byteSet{}) {
		b.next(ascii, pc, 1, depth, so)
	}
	for size, lead := range leads {
		if lead != (byteSet{}) {
			b.next(lead, pc, size, depth, so)
		}
	}
}

// addLeads adds the first bytes of the characters from first to last that have several.
func addLeads(leads *[utf8.UTFMax + 1]byteSet, first, last rune) {
	for _, size := range []struct {
		first, last rune
		bytes       int
	}{{0x80, 0x7ff, 2}, {0x800, 0xffff, 3}, {0x10000, 0x10ffff, 4}} {
		lo, hi := max(first, size.first), min(last, size.last)
		if lo <= hi {
			leads[size.bytes].add(leadByte(lo), leadByte(hi))
		}
	}
}

// leadByte is the first byte of a character that has several.
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

// next goes on behind a character of so many bytes, the first of which is in the set.
func (b *beginner) next(first byteSet, pc uint32, size, depth int, so beginning) {
	so[depth] = first
	for i := depth + 1; i < min(depth+size, b.n); i++ {
		so[i] = byteSet{}
		so[i].add(0x80, 0xbf)
	}
	b.walk(pc, min(depth+size, b.n), so)
}

// exactly goes on behind a character that is known.
func (b *beginner) exactly(encoded []byte, pc uint32, depth int, so beginning) {
	for i, c := range encoded {
		if depth+i < b.n {
			so[depth+i] = byteSet{}
			so[depth+i].add(c, c)
		}
	}
	b.walk(pc, min(depth+len(encoded), b.n), so)
}

// merged are beginnings, no more than there are buckets, that hold all that were found; nil if there
// were too many.
func (b *beginner) merged() []beginning {
	if len(b.found) == 0 || len(b.found) > maxBeginnings {
		return nil
	}
	var all []beginning
	for known := b.n; known >= 0; known-- { // those that share their first bytes become one
		all = all[:0]
		groups := map[beginning]int{}
		for _, x := range b.found {
			key := x
			for i := known; i < prefixBytes; i++ {
				key[i] = byteSet{}
			}
			if i, ok := groups[key]; ok {
				all[i] = all[i].with(x)
			} else {
				groups[key], all = len(all), append(all, x)
			}
		}
		if len(all) <= comparedBeginnings {
			break
		}
	}
	for len(all) > buckets {
		all = mergeNearest(all)
	}
	return all
}

// mergeNearest makes one of the two beginnings whose union holds the least besides them.
func mergeNearest(all []beginning) []beginning {
	shares := make([]int, len(all))
	for i := range all {
		shares[i] = all[i].share()
	}
	bestI, bestJ, best := 0, 1, int(^uint(0)>>1)
	for i := range all {
		for j := range i {
			union := all[i].with(all[j])
			if more := union.share() - shares[i] - shares[j]; more < best {
				bestI, bestJ, best = i, j, more
			}
		}
	}
	all[bestJ] = all[bestJ].with(all[bestI])
	all[bestI] = all[len(all)-1]
	return all[:len(all)-1]
}
