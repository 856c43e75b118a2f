package jobs

import (
	"unicode"
	"unicode/utf8"
)

// speller finds the words that WordCountOptions define. Each attempt needs its own.
type speller struct {
	o     WordCountOptions
	ascii [utf8.RuneSelf]byte // spelled of each ASCII character
	word  []byte              // buffer
}

// noWord is the character that separates words.
const noWord = ' '

func newSpeller(o WordCountOptions) *speller {
	s := &speller{o: o}
	for c := range s.ascii {
		s.ascii[c] = byte(s.spelled(rune(c)))
	}
	return s
}

// spelled returns the character that replaces r in a word, or noWord.
func (s *speller) spelled(r rune) rune {
	switch {
	case r == ' ' || '\t' <= r && r <= '\r', s.o.Words && !unicode.In(r, unicode.L, unicode.M, unicode.Nd):
		return noWord
	case s.o.Fold:
		return folded(r)
	}
	return r
}

// folded returns the same character for all that are equal under case folding. It is the lower case
// of the smallest of them, if that is one of them; otherwise the smallest.
func folded(r rune) rune {
	first := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		first = min(first, other)
	}
	small := unicode.ToLower(first)
	for other := unicode.SimpleFold(first); other != first; other = unicode.SimpleFold(other) {
		if other == small {
			return small
		}
	}
	return first
}

// words calls visit with each word of a text. The next call overwrites it. Invalid UTF-8 is kept
// or, with o.Words, separates words.
func (s *speller) words(text []byte, visit func(word []byte)) {
	word := s.word[:0]
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			if c = s.ascii[c]; c != noWord {
				word = append(word, c)
				continue
			}
		} else {
			r, size := utf8.DecodeRune(text[i:])
			i += size
			if r == utf8.RuneError && size == 1 && !s.o.Words {
				word = append(word, c)
				continue
			}
			if r = s.spelled(r); r != noWord {
				word = utf8.AppendRune(word, r)
				continue
			}
		}
		if len(word) > 0 {
			visit(word)
			word = word[:0]
		}
	}
	if len(word) > 0 {
		visit(word)
	}
	s.word = word
}
