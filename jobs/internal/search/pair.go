package search

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unsafe"
)

// pair searches for two bytes at a fixed distance, at eight positions of a text at once. first and
// second have the byte eight times. If case is ignored, anyFirst and anySecond have the bits that
// turn letters into lower case; they are set in the text's words before the comparison. Otherwise
// they are 0.
type pair struct {
	first, second       uint64
	anyFirst, anySecond uint64
}

const (
	ones      = 0x0101010101010101 // the lowest bit of each byte
	tops      = 0x8080808080808080 // the highest bit of each byte
	lowerCase = ones * ('a' - 'A')
)

// newPair returns the pair for the bytes of a text at indexes i and j.
func newPair(text string, i, j int, fold bool) pair {
	p := pair{first: ones * uint64(text[i]), second: ones * uint64(text[j])}
	if fold && isLower(text[i]) {
		p.anyFirst = lowerCase
	}
	if fold && isLower(text[j]) {
		p.anySecond = lowerCase
	}
	return p
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// match compares eight positions: the bytes of x with first, and those of y with second. In its
// result & tops, the lowest set bit is in the byte of the first position where both are equal; 0
// means that there is none. Higher bits may be wrong.
func (p pair) match(x, y uint64) uint64 {
	z := ((x | p.anyFirst) ^ p.first) | ((y | p.anySecond) ^ p.second)
	return (z - ones) &^ z
}

// pairBlock is the number of positions that skip examines per step.
const pairBlock = 32

// skipPortable returns what skip does, without vector instructions.
func (p *pair) skipPortable(x, y unsafe.Pointer, n int) int {
	q, i := *p, 0
	for ; i+pairBlock <= n; i += pairBlock {
		m := q.match(load(x, i), load(y, i)) | q.match(load(x, i+8), load(y, i+8)) |
			q.match(load(x, i+16), load(y, i+16)) | q.match(load(x, i+24), load(y, i+24))
		if m&tops != 0 {
			break
		}
	}
	return i
}

// load returns the eight bytes at p[i:] as a little-endian word.
func load(p unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, i))[:])
}

// rare is a single literal prepared for searching. A search looks for its two rarest bytes at once
// and then compares the bytes around them.
type rare struct {
	literal
	first, second int // indexes in text of the rarest bytes; the same in a text of one byte
	pair          pair
}

func newRare(l literal) *rare {
	r := &rare{literal: l}
	r.first = r.rarest(-1)
	r.second = r.rarest(r.first)
	r.pair = newPair(l.text, r.first, r.second, l.fold)
	return r
}

// rarest returns the index of the rarest byte except text[but]; 0 in a text of one byte.
func (r *rare) rarest(but int) int {
	best := -1
	for i := range len(r.text) {
		if i != but && (best < 0 || rarity(r.text[i]) > rarity(r.text[best])) {
			best = i
		}
	}
	return max(best, 0)
}

// byFrequency lists bytes from the most to the least frequent in prose, source code and logs; other
// bytes are rarer.
const byFrequency = " etaonirshldcumpfg\nbwyv.,k0-1\"/_2()TAS=x'I:3C45MB9867PDREHNLOFWGUj;zqYVKJ*X{}<>Q[]Z\t!?+&#@%$|\\^`~"

// rarity returns a number that is higher for bytes that are less frequent in texts.
func rarity(b byte) int {
	if i := strings.IndexByte(byFrequency, b); i >= 0 {
		return i
	}
	return len(byFrequency)
}

// index returns the first position of the literal in s, or -1.
//
// The search stops where both rarest bytes occur at their distance, which is seldom except at the
// needle itself. In source code the S of "Shakespeare" occurs every 130 bytes and the p of "omput"
// every 60: bytes.IndexByte, which stops at each of those, reaches 9.3 and 4.7 GB/s, bytes.Index
// 8.8 and 3.3. This search reaches 13 and 9.6 GB/s with skipPortable, 58 and 19.6 with AVX2
// (BenchmarkNeedles).
func (r *rare) index(s []byte) int {
	places := len(s) - len(r.text) + 1
	if places < 1 {
		return -1
	}
	x, y := unsafe.Pointer(&s[r.first]), unsafe.Pointer(&s[r.second])
	i := 0
	for i+pairBlock <= places { // otherwise the pointers would leave s
		i += r.pair.skip(unsafe.Add(x, i), unsafe.Add(y, i), places-i)
		if i+pairBlock > places {
			break
		}
		for k := i; k < i+pairBlock; k += 8 {
			for m := r.pair.match(load(x, k), load(y, k)) & tops; m != 0; m &= m - 1 {
				if at := k + bits.TrailingZeros64(m)/8; r.begins(s[at:]) {
					return at
				}
			}
		}
		i += pairBlock
	}
	return r.indexPlain(s, i)
}

// indexPlain is index for the last bytes of s, from `from` on, one position at a time.
func (r *rare) indexPlain(s []byte, from int) int {
	for i := from; i+len(r.text) <= len(s); i++ {
		if r.begins(s[i:]) {
			return i
		}
	}
	return -1
}
