package jobs

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/mapreduce"
)

// speller finds the words that WordCountOptions define. Each attempt needs its own.
type speller struct {
	o     WordCountOptions
	ascii [256]byte // spelled of each ASCII character
	piece []byte    // buffer
}

// noWord is the character that separates words.
const noWord = ' '

func newSpeller(o WordCountOptions) *speller {
	s := &speller{o: o}
	for c := range utf8.RuneSelf {
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

// pieceBytes is the least number of bytes that are spelled at once.
const pieceBytes = 4 << 10

// words calls visit with each word of a text. The next call overwrites it. Invalid UTF-8 is kept
// or, with o.Words, separates words.
func (s *speller) words(text []byte, visit func(word []byte)) {
	for len(text) > 0 {
		end := min(pieceBytes, len(text))
		for end < len(text) && s.ascii[text[end]] != noWord {
			end++
		}
		for word := range mapreduce.Fields(s.spell(text[:end])) {
			visit(word)
		}
		text = text[end:]
	}
}

// spell returns text with the characters that replace its own, until the next call.
func (s *speller) spell(text []byte) []byte {
	out := s.piece[:0]
	for len(text) > 0 {
		out = slices.Grow(out, len(text))
		n, to := 0, out[len(out):len(out)+len(text)]
		for ; n < len(text) && text[n] < utf8.RuneSelf; n++ {
			to[n] = s.ascii[text[n]]
		}
		out, text = out[:len(out)+n], text[n:]
		r, size := utf8.DecodeRune(text)
		if size <= 1 && !s.o.Words { // invalid, or the end
			out = append(out, text[:size]...)
		} else {
			out = utf8.AppendRune(out, s.spelled(r))
		}
		text = text[size:]
	}
	s.piece = out
	return out
}
