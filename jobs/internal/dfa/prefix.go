package dfa

import "math/bits"

// prefixBytes is how many of the first bytes of a match are examined.
const prefixBytes = 3

// buckets is how many kinds of beginnings are distinguished: one bit of a byte for each.
const buckets = 8

// prefix describes the first bytes of all matches. It has up to eight kinds of beginnings, called
// buckets, each with a bit. exact has a table for each of the first bytes. A match may begin only
// where the entries of the text's next bytes have a bit in common.
//
// nibbles is a less exact form: two tables for each byte, by its low and its high four bits. A
// processor can look up 32 bytes in it at once.
type prefix struct {
	nibbles [2 * prefixBytes][16]uint8 // low and high of the first byte, of the second byte, …
	exact   [prefixBytes][256]uint8
	n       int // number of known bytes, 1 to prefixBytes; the others may be anything
}

// index returns the first position from i on at which a match may begin, or len(text).
func (p *prefix) index(text []byte, i int) int {
	for i+prefixBytes <= len(text) {
		i += p.approach(text[i:])
		if i+prefixBytes > len(text) {
			break
		}
		if p.at(text[i:]) {
			return i
		}
		i++
	}
	for ; i+p.n <= len(text); i++ {
		b := p.exact[0][text[i]]
		if p.n > 1 {
			b &= p.exact[1][text[i+1]]
		}
		if p.n > 2 {
			b &= p.exact[2][text[i+2]]
		}
		if b != 0 {
			return i
		}
	}
	return len(text)
}

// at reports whether a match may begin at s[0]; s has at least prefixBytes bytes.
func (p *prefix) at(s []byte) bool {
	return p.exact[0][s[0]]&p.exact[1][s[1]]&p.exact[2][s[2]] != 0
}

// approachPortable returns what approach does, without vector instructions.
func (p *prefix) approachPortable(s []byte) int {
	i := 0
	for i+prefixBytes <= len(s) && !p.at(s[i:]) {
		i++
	}
	return i
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(first, last byte) {
	for b := int(first); b <= int(last); b++ {
		s[b>>6] |= 1 << (b & 63)
	}
}

func (s *byteSet) has(b int) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func (s byteSet) with(t byteSet) byteSet {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// share returns roughly how many of a thousand text bytes are in the set.
func (s *byteSet) share() int {
	between := func(first, last byte) int {
		var t byteSet
		t.add(first, last)
		n := 0
		for i := range t {
			n += bits.OnesCount64(s[i] & t[i])
		}
		return n
	}
	n := 28*between('a', 'z') + 3*between('A', 'Z') + 3*between('0', '9') + between(0, 255)
	if s.has(' ') {
		n += 120
	}
	return n
}

// beginning is one kind of beginning: the sets of possible first, second and third bytes.
type beginning [prefixBytes]byteSet

func (b beginning) with(c beginning) beginning {
	for i := range b {
		b[i] = b[i].with(c[i])
	}
	return b
}

// share returns roughly how many of 10⁹ text positions have such a beginning. An empty set is a
// byte that may have any value.
func (b *beginning) share() int {
	n := 1
	for i := range b {
		if b[i] == (byteSet{}) {
			n *= 1000
		} else {
			n *= min(b[i].share(), 1000)
		}
	}
	return n
}

// tables returns the prefix that matches all these beginnings of n bytes. There must be at most as
// many as buckets.
func tables(all []beginning, n int) *prefix {
	p := &prefix{n: n}
	for bit, b := range all {
		mask := uint8(1) << bit
		for i := range prefixBytes {
			for c := range 256 {
				if i >= n || b[i].has(c) {
					p.exact[i][c] |= mask
					p.nibbles[2*i][c&15] |= mask
					p.nibbles[2*i+1][c>>4] |= mask
				}
			}
		}
	}
	return p
}
