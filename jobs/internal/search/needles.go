package search

import (
	"bytes"
	"strings"

	"github.com/tarry-mr/tarry/jobs/internal/teddy"
)

// needles are literals prepared for searching. A search looks for the rarest bytes of each, and
// then compares the bytes around them.
type needles struct {
	list []literal
	rare []int // index in each of the byte at a position that next returns

	// next returns the first position from i on that may have the rarest bytes of a literal, or
	// len(s): of one literal by a pair, of several by package teddy.
	next func(s []byte, i int) int
}

func newNeedles(list []literal) *needles {
	n := &needles{list: list, rare: make([]int, len(list))}
	if len(list) == 1 {
		var p *teddy.Pair
		p, n.rare[0] = list[0].pair()
		n.next = p.Index
		return n
	}
	width := min(shortest(list), teddy.Bytes)
	patterns := make([]teddy.Pattern, len(list))
	for i, l := range list {
		patterns[i] = l.pattern(0, width)
		for at := 1; at+width <= len(l.text); at++ {
			if p := l.pattern(at, width); p.Share() < patterns[i].Share() {
				patterns[i], n.rare[i] = p, at
			}
		}
	}
	n.next = teddy.New(patterns, width).Index
	return n
}

// pair returns the literal's two rarest bytes, and the index of the first of them.
func (l literal) pair() (p *teddy.Pair, at int) {
	i := l.rarest(-1)
	j := l.rarest(i)
	i, j = min(i, j), max(i, j)
	p = &teddy.Pair{First: l.text[i], Second: l.text[j], Distance: j - i}
	if l.fold && isLower(p.First) {
		p.AnyFirst = lowerCase
	}
	if l.fold && isLower(p.Second) {
		p.AnySecond = lowerCase
	}
	return p, i
}

const lowerCase = 'a' - 'A'

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// rarest returns the index of the rarest byte except text[but]; 0 in a text of one byte.
func (l literal) rarest(but int) int {
	best := -1
	for i := range len(l.text) {
		if i != but && (best < 0 || rarity(l.text[i]) > rarity(l.text[best])) {
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

// pattern returns the pattern of the literal's bytes text[at:at+width].
func (l literal) pattern(at, width int) (p teddy.Pattern) {
	for i, c := range []byte(l.text[at : at+width]) {
		p[i].Add(c, c)
		if l.fold && isLower(c) {
			p[i].Add(c-lowerCase, c-lowerCase)
		}
	}
	return p
}

// line is candidate for a pattern with needles.
func (n *needles) line(chunk []byte, from int) (start, at int) {
	at = n.index(chunk, from)
	if at == len(chunk) {
		return at, at
	}
	return from + bytes.LastIndexByte(chunk[from:at], '\n') + 1, at
}

// index returns the position of a literal in the first line of s[from:] with one, or len(s).
func (n *needles) index(s []byte, from int) int {
	for i := n.next(s, from); i < len(s); i = n.next(s, i+1) {
		for k, l := range n.list {
			if at := i - n.rare[k]; at >= from && l.begins(s[at:]) {
				return at
			}
		}
	}
	return len(s)
}
