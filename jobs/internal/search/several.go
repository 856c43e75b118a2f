package search

import "github.com/tarry-mr/tarry/jobs/internal/teddy"

// several are literals prepared for searching. A search looks for the rarest bytes in a row of each,
// and then compares the bytes around them.
type several struct {
	list   []literal
	rare   []int // index of the rarest bytes of each
	rarest *teddy.Table
}

func newSeveral(list []literal) *several {
	width := min(shortest(list), teddy.Bytes)
	patterns := make([]teddy.Pattern, len(list))
	n := &several{list: list, rare: make([]int, len(list))}
	for i, l := range list {
		patterns[i] = l.pattern(0, width)
		for at := 1; at+width <= len(l.text); at++ {
			if p := l.pattern(at, width); p.Share() < patterns[i].Share() {
				patterns[i], n.rare[i] = p, at
			}
		}
	}
	n.rarest = teddy.New(patterns, width)
	return n
}

// pattern returns the pattern of the literal's bytes text[at:at+width].
func (l literal) pattern(at, width int) (p teddy.Pattern) {
	for i, c := range []byte(l.text[at : at+width]) {
		p[i].Add(c, c)
		if l.fold && isLower(c) {
			p[i].Add(c-('a'-'A'), c-('a'-'A'))
		}
	}
	return p
}

// index returns the position of a literal in the first line of s[from:] with one, or len(s).
func (n *several) index(s []byte, from int) int {
	for i := n.rarest.Index(s, from); i < len(s); i = n.rarest.Index(s, i+1) {
		for k, l := range n.list {
			if at := i - n.rare[k]; at >= from && l.begins(s[at:]) {
				return at
			}
		}
	}
	return len(s)
}
