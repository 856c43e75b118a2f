package search

import (
	"bytes"
	"regexp/syntax"
)

const (
	// shortLeast is the minimum length of a match, in bytes, from which it pays to examine only
	// lines of at least that length.
	shortLeast = 24
	// longLeast is the same for patterns whose beginnings package dfa can search for.
	longLeast = 128
	// enough is the maximum that least returns.
	enough = 1 << 12
)

// least returns the minimum length of a match in bytes, at most enough.
func least(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune) // at least one byte each: U+FFFD may be a single invalid byte
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

// longLine is candidate for a pattern without needles: it finds lines of at least n bytes. If such
// lines are rare, it reads few bytes of the others.
func longLine(chunk []byte, from, n int) (start, at int) {
	for from+n <= len(chunk) {
		i := bytes.LastIndexByte(chunk[from:from+n], '\n')
		if i < 0 {
			return from, from + n - 1
		}
		from += i + 1
	}
	return len(chunk), len(chunk)
}
