package search

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"regexp/syntax"
)

const (
	// shortLeast is the least that a match must have for it to be worth looking for lines that have
	// so much.
	shortLeast = 24
	// longLeast is the same where the beginnings of matches can be looked for instead.
	longLeast = 128
	// enough is as many bytes as least counts.
	enough = 1 << 12
)

// least is how many bytes every match has at least; enough stands for any larger number, too.
func least(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune) // a byte that is not UTF-8 is U+FFFD
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 1
	case syntax.OpCapture, syntax.OpPlus:
		n = least(re.Sub[0])
	case syntax.OpRepeat:
		n = re.Min * least(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n = min(n+least(sub), enough)
		}
	case syntax.OpAlternate:
		n = enough
		for _, sub := range re.Sub {
			n = min(n, least(sub))
		}
	default: // may be empty, or never matches
	}
	return min(n, enough)
}

// longLine is where the first line with p.least bytes or more begins, at or after from, which is
// the start of a line, or the chunk's length. Where such lines are rare it looks at few bytes of the
// others.
func (s *scanner) longLine(from int) int {
	for from+s.p.least <= len(s.chunk) {
		i := lastLineFeed(s.chunk[from : from+s.p.least])
		if i < 0 {
			return from
		}
		from += i + 1
	}
	return len(s.chunk)
}

// lastLineFeed is bytes.LastIndexByte of the line feed, eight bytes at a time.
func lastLineFeed(s []byte) int {
	for len(s) >= 8 {
		x := binary.LittleEndian.Uint64(s[len(s)-8:]) ^ '\n'*ones
		// A bit under tops is left of each byte of x that is 0, and of no other.
		if m := ^((x&^tops + ones*0x7f) | x | ^uint64(tops)); m != 0 {
			return len(s) - 1 - bits.LeadingZeros64(m)/8
		}
		s = s[:len(s)-8]
	}
	return bytes.LastIndexByte(s, '\n')
}
