// Package teddy finds the positions of a text at which one of a few short patterns may begin, 32
// positions at a time: the algorithm Teddy of Hyperscan and ripgrep, for patterns whose bytes are
// sets. A Pair finds two bytes in fewer instructions.
package teddy

import "math/bits"

const (
	// Bytes is the maximum number of bytes of a Pattern that are examined.
	Bytes = 3
	// Buckets is the maximum number of patterns of a Table: one bit of a byte for each.
	Buckets = 8
)

// Table finds patterns. Each has a bit. exact has a table for each byte of a pattern. A pattern
// begins where the entries of the text's next bytes have a bit in common.
//
// nibbles is a less exact form: two tables for each byte, by its low and its high four bits. A
// processor can look up 32 bytes in it at once.
type Table struct {
	nibbles [2 * Bytes][16]uint8 // low and high of the first byte, of the second byte, …
	exact   [Bytes][256]uint8
	n       int // number of known bytes, 1 to Bytes; the others may be anything
}

// New returns the table of at most Buckets patterns of n bytes, 1 to Bytes.
func New(patterns []Pattern, n int) *Table {
	t := &Table{n: n}
	for bit, p := range patterns {
		mask := uint8(1) << bit
		for i := range Bytes {
			for c := range 256 {
				if i >= n || p[i].has(c) {
					t.exact[i][c] |= mask
					t.nibbles[2*i][c&15] |= mask
					t.nibbles[2*i+1][c>>4] |= mask
				}
			}
		}
	}
	return t
}

// Index returns the first position from i on at which a pattern begins, or len(text).
func (t *Table) Index(text []byte, i int) int {
	for i+Bytes <= len(text) {
		i += t.approach(text[i:])
		if i+Bytes > len(text) {
			break
		}
		if t.at(text[i:]) {
			return i
		}
		i++
	}
	for ; i+t.n <= len(text); i++ {
		b := t.exact[0][text[i]]
		for k := 1; k < t.n; k++ {
			b &= t.exact[k][text[i+k]]
		}
		if b != 0 {
			return i
		}
	}
	return len(text)
}

// at reports whether a pattern begins at s[0]; s has at least Bytes bytes.
func (t *Table) at(s []byte) bool {
	return t.exact[0][s[0]]&t.exact[1][s[1]]&t.exact[2][s[2]] != 0
}

// approachPortable returns what approach does, without vector instructions.
func (t *Table) approachPortable(s []byte) int {
	i := 0
	for i+Bytes <= len(s) && !t.at(s[i:]) {
		i++
	}
	return i
}

// Set is a set of bytes.
type Set [4]uint64

// Add adds the bytes from first to last.
func (s *Set) Add(first, last byte) {
	for b := int(first); b <= int(last); b++ {
		s[b>>6] |= 1 << (b & 63)
	}
}

func (s *Set) has(b int) bool { return s[b>>6]&(1<<(b&63)) != 0 }

func (s Set) with(t Set) Set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// weights are roughly how many of a thousand text bytes are each byte of a set.
var weights = []struct {
	set    Set
	weight int
}{{between('a', 'z'), 28}, {between('A', 'Z'), 3}, {between('0', '9'), 3}, {between(' ', ' '), 120}, {between(0, 255), 1}}

func between(first, last byte) (s Set) {
	s.Add(first, last)
	return s
}

// share returns roughly how many of a thousand text bytes are in the set.
func (s *Set) share() (n int) {
	for _, w := range weights {
		for i := range s {
			n += w.weight * bits.OnesCount64(s[i]&w.set[i])
		}
	}
	return n
}

// Pattern has the sets of possible first, second and third bytes.
type Pattern [Bytes]Set

// With returns a pattern that begins wherever p or q does, and maybe elsewhere.
func (p Pattern) With(q Pattern) Pattern {
	for i := range p {
		p[i] = p[i].with(q[i])
	}
	return p
}

// Share returns roughly at how many of 10⁹ text positions p begins. An empty set is a byte that may
// have any value.
func (p *Pattern) Share() int {
	n := 1
	for i := range p {
		if p[i] == (Set{}) {
			n *= 1000
		} else {
			n *= min(p[i].share(), 1000)
		}
	}
	return n
}
