package search

import "github.com/tarry-mr/tarry/jobs/internal/teddy"

// needles are literals prepared for searching. A search for several looks for the rarest bytes of
// each, and then compares the bytes around them.
type needles struct {
	list   []needle
	single *rare        // the only one; nil if there are several
	rarest *teddy.Table // finds the bytes at index rare of the texts
}

// needle is a literal, and the index of its rarest bytes.
type needle struct {
	literal
	rare int
}

func newNeedles(list []literal) (n needles) {
	if len(list) == 1 {
		return needles{list: []needle{{list[0], 0}}, single: newRare(list[0])}
	}
	width := teddy.Bytes
	for _, l := range list {
		width = min(width, len(l.text))
	}
	patterns := make([]teddy.Pattern, len(list))
	for i, l := range list {
		patterns[i] = l.pattern(0, width)
		rare := 0
		for at := 1; at+width <= len(l.text); at++ {
			if p := l.pattern(at, width); p.Share() < patterns[i].Share() {
				patterns[i], rare = p, at
			}
		}
		n.list = append(n.list, needle{l, rare})
	}
	n.rarest = teddy.New(patterns, width)
	return n
}

// pattern returns the pattern of the literal's bytes text[at:at+width].
func (l literal) pattern(at, width int) (p teddy.Pattern) {
	for i, c := range []byte(l.text[at : at+width]) {
		p[i].Add(c, c)
		if l.fold && c >= 'a' && c <= 'z' {
			p[i].Add(c-('a'-'A'), c-('a'-'A'))
		}
	}
	return p
}

// index returns the position of a needle in the first line of s[from:] with one, or len(s).
func (n *needles) index(s []byte, from int) int {
	if n.single != nil {
		if i := n.single.index(s[from:]); i >= 0 {
			return from + i
		}
		return len(s)
	}
	for i := n.rarest.Index(s, from); i < len(s); i = n.rarest.Index(s, i+1) {
		for _, l := range n.list {
			if at := i - l.rare; at >= from && l.begins(s[at:]) {
				return at
			}
		}
	}
	return len(s)
}

// begins reports whether s begins with the literal.
func (l *literal) begins(s []byte) bool {
	if len(s) < len(l.text) || !l.fold {
		return len(s) >= len(l.text) && string(s[:len(l.text)]) == l.text
	}
	for i, c := range s[:len(l.text)] {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != l.text[i] {
			return false
		}
	}
	return true
}
