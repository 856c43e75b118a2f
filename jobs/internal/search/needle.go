package search

import "strings"

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

// needle is a literal prepared for searching. A search looks for its two rarest bytes at once and
// then compares the bytes around them.
type needle struct {
	text []byte
	fold bool
	rare int // index in text of its rarest byte
	next int // index of the second rarest; the same in a text of one byte
	pair pair
}

func newNeedle(l literal) needle {
	n := needle{text: []byte(l.text), fold: l.fold}
	n.rare = n.rarest(-1)
	n.next = n.rarest(n.rare)
	n.pair = newPair(n.text, n.rare, n.next, n.fold)
	return n
}

// rarest returns the index of the rarest byte except text[but]; 0 in a text of one byte.
func (n *needle) rarest(but int) int {
	best := -1
	for i, b := range n.text {
		if i != but && (best < 0 || rarity(b) > rarity(n.text[best])) {
			best = i
		}
	}
	return max(best, 0)
}

// at reports whether s begins with the needle; s must be at least as long.
func (n *needle) at(s []byte) bool {
	if !n.fold {
		return string(s[:len(n.text)]) == string(n.text)
	}
	for i, b := range n.text {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != b {
			return false
		}
	}
	return true
}
