package dfa

import (
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// alphabet divides the characters into classes, such that the expression treats all characters of a
// class alike.
type alphabet struct {
	starts []rune // ascending first characters of the classes; class i is [starts[i], starts[i+1])
	words  []bool // whether the characters of a class are word characters for \b; all false without \b

	ascii [utf8.RuneSelf]int32 // class of each character

	bytes    [256]uint8 // class of each byte; bytes that lead to the same states share one
	nBytes   int        // number of those classes
	ofClass  [256]byte  // an example byte of each class
	lineFeed uint8      // the class that contains only the line feed
}

// wordStarts are the characters at which \b's word characters begin or end.
var wordStarts = []rune{'0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1}

// newAlphabet returns the alphabet for these character sets, each a sorted list of ranges: first,
// last, first, last …
func newAlphabet(sets [][]rune, words bool) *alphabet {
	a := &alphabet{starts: []rune{0, '\n', '\n' + 1}}
	for _, set := range sets {
		for i := 0; i < len(set); i += 2 {
			a.starts = append(a.starts, set[i], set[i+1]+1)
		}
	}
	if words {
		a.starts = append(a.starts, wordStarts...)
	}
	slices.Sort(a.starts)
	a.starts = slices.Compact(a.starts)
	if a.starts[len(a.starts)-1] > unicode.MaxRune {
		a.starts = a.starts[:len(a.starts)-1]
	}
	a.words = make([]bool, len(a.starts))
	for i, r := range a.starts {
		a.words[i] = words && (r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
	}
	for r := range a.ascii {
		a.ascii[r] = a.search(rune(r))
	}
	a.cutBytes()
	return a
}

// search returns the class of a character by a binary search.
func (a *alphabet) search(r rune) int32 {
	return int32(sort.Search(len(a.starts), func(i int) bool { return a.starts[i] > r })) - 1
}

// cutBytes computes the byte classes. A new class begins at each ASCII character or encoded byte
// where a character class begins, and at each kind of UTF-8 byte.
func (a *alphabet) cutBytes() {
	var cut [257]bool
	for _, b := range []int{0x80, 0x90, 0xa0, 0xc0, 0xc2, 0xe0, 0xe1, 0xed, 0xee, 0xf0, 0xf1, 0xf4, 0xf5} {
		cut[b] = true
	}
	for _, r := range a.starts {
		if r >= 0xd800 && r < 0xe000 {
			r = 0xe000 // surrogates do not occur in text
		}
		encoded := utf8.AppendRune(nil, r)
		for i, b := range encoded {
			cut[b] = true
			if i < len(encoded)-1 {
				cut[int(b)+1] = true // the characters after this byte belong to several classes
			}
		}
	}
	class := 0
	for b := range 256 {
		if cut[b] && b > 0 {
			class++
		}
		a.bytes[b] = uint8(class)
		a.ofClass[class] = byte(b)
	}
	a.nBytes = class + 1
	a.lineFeed = a.bytes['\n']
}

// isWord reports whether b is a word character for \b; false without \b.
func (a *alphabet) isWord(b byte) bool {
	return b < utf8.RuneSelf && a.words[a.ascii[b]]
}
