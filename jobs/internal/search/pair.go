package search

import (
	"encoding/binary"
	"math/bits"
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
func newPair(text []byte, i, j int, fold bool) pair {
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

// index returns the first position of the needle in s, or -1.
//
// The search stops where both rarest bytes occur at their distance, which is seldom except at the
// needle itself. In source code the S of "Shakespeare" occurs every 130 bytes and the p of "omput"
// every 60: bytes.IndexByte, which stops at each of those, reaches 9.3 and 4.7 GB/s, bytes.Index
// 8.8 and 3.3. This search reaches 13 and 9.6 GB/s with skipPortable, 58 and 19.6 with AVX2
// (BenchmarkNeedle).
func (n *needle) index(s []byte) int {
	places := len(s) - len(n.text) + 1
	if places < 1 {
		return -1
	}
	x, y := unsafe.Pointer(&s[n.rare]), unsafe.Pointer(&s[n.next])
	i := 0
	for i+pairBlock <= places { // otherwise the pointers would leave s
		i += n.pair.skip(unsafe.Add(x, i), unsafe.Add(y, i), places-i)
		if i+pairBlock > places {
			break
		}
		for k := i; k < i+pairBlock; k += 8 {
			for m := n.pair.match(load(x, k), load(y, k)) & tops; m != 0; m &= m - 1 {
				if at := k + bits.TrailingZeros64(m)/8; n.at(s[at:]) {
					return at
				}
			}
		}
		i += pairBlock
	}
	return n.indexPlain(s, i)
}

// indexPlain is index for the last bytes of s, from `from` on, one position at a time.
func (n *needle) indexPlain(s []byte, from int) int {
	for i := from; i+len(n.text) <= len(s); i++ {
		if n.at(s[i:]) {
			return i
		}
	}
	return -1
}
