package jobs

import (
	"unicode"
	"unicode/utf8"
)

// speller finds the words that WordCountOptions define. Each attempt needs its own.
type speller struct {
	o     WordCountOptions
	ascii [utf8.RuneSelf]rune // spelled of each ASCII character
	word  []byte              // buffer
}

// noWord is the character that separates words.
const noWord = ' '

func newSpeller(o WordCountOptions) *speller {
	s := &speller{o: o}
	for c := range s.ascii {
		s.ascii[c] = s.spelled(rune(c))
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
	for i, size := 0, 0; i < len(text); i += size {
		r := rune(text[i])
		if size = 1; r < utf8.RuneSelf {
			r = s.ascii[r]
		} else if r, size = utf8.DecodeRune(text[i:]); r == utf8.RuneError && size == 1 && !s.o.Words {
			word = append(word, text[i])
			continue
		} else {
			r = s.spelled(r)
		}
		if r != noWord {
			word = utf8.AppendRune(word, r)
		} else if len(word) > 0 {
			visit(word)
			word = word[:0]
		}
	}
	if len(word) > 0 {
		visit(word)
	}
	s.word = word
}
