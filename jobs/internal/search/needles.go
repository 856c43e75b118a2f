package search

import "github.com/tarry-mr/tarry/jobs/internal/teddy"

// needles are literals prepared for searching. A search looks for the rarest bytes of each, and then
// compares the bytes around them.
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
		var p *pair
		p, n.rare[0] = newPair(list[0])
		n.next = p.index
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
