package dfa

import (
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// alphabet divides the bytes into classes, such that all bytes of a class lead to the same states.
type alphabet struct {
	starts  []rune     // ascending; the expression treats the characters from one to the next alike
	classes [256]uint8 // of each byte
	size    int        // number of classes
}

// wordStarts are the characters at which \b's word characters begin or end.
var wordStarts = []rune{'0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1}

// newAlphabet returns the alphabet of a program, which has \b or \B if words is set.
func newAlphabet(prog *syntax.Prog, words bool) *alphabet {
	a := &alphabet{starts: []rune{0, '\n', '\n' + 1}}
	if words {
		a.starts = append(a.starts, wordStarts...)
	}
	for _, i := range prog.Inst {
		for k := 0; k+1 < len(i.Rune); k += 2 {
			a.starts = append(a.starts, i.Rune[k], i.Rune[k+1]+1)
		}
		if len(i.Rune) == 1 { // a character, perhaps in any case
			r := i.Rune[0]
			a.starts = append(a.starts, r, r+1)
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				a.starts = append(a.starts, other, other+1)
			}
		}
	}
	slices.Sort(a.starts)
	a.starts = slices.Compact(a.starts)
	a.cutBytes()
	return a
}

// cutBytes computes the byte classes. A new class begins at each ASCII character or encoded byte
// where characters begin that are treated differently, and at each kind of UTF-8 byte.
func (a *alphabet) cutBytes() {
	var cut [257]bool
	for _, b := range []int{0x80, 0x90, 0xa0, 0xc0, 0xc2, 0xe0, 0xe1, 0xed, 0xee, 0xf0, 0xf1, 0xf4, 0xf5} {
		cut[b] = true
	}
	for _, r := range a.starts {
		if !utf8.ValidRune(r) { // a surrogate: the characters before and after have different first bytes
			continue
		}
		encoded := utf8.AppendRune(nil, r)
		for i, b := range encoded {
			cut[b] = true
			if i < len(encoded)-1 {
				cut[int(b)+1] = true // not all characters with this byte are treated alike
			}
		}
	}
	for b := range 256 {
		if cut[b] && b > 0 {
			a.size++
		}
		a.classes[b] = uint8(a.size)
	}
	a.size++
}

// class returns the index in starts of the characters like r.
func (a *alphabet) class(r rune) int {
	return sort.Search(len(a.starts), func(i int) bool { return a.starts[i] > r }) - 1
}

// appendBegun appends begun, the first bytes of a character, to the key of a state. It appends the
// same for all whose characters are treated alike, so that few states suffice for many characters.
func (a *alphabet) appendBegun(key, begun []byte) []byte {
	if len(begun) == 0 {
		return append(key, 0)
	}
	size := 2
	switch {
	case begun[0] >= 0xf0:
		size = 4
	case begun[0] >= 0xe0:
		size = 3
	}
	r := rune(begun[0]) & (0x7f >> size)
	for _, b := range begun[1:] {
		r = r<<6 | rune(b&0x3f)
	}
	left := size - len(begun)
	class, last := a.class(r<<(6*left)), a.class((r+1)<<(6*left)-1)
	if class != last || len(begun) == 1 && slices.Contains([]byte("\xe0\xed\xf0\xf4"), begun[0]) { // these limit the next byte
		return append(append(key, byte(len(begun))), begun...)
	}
	return append(key, byte(4*left+len(begun)), byte(class>>16), byte(class>>8), byte(class))
}
