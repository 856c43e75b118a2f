package jobs

import (
	"unicode"
	"unicode/utf8"
)

// speller rewrites text so that its words, separated by white space, are the words that
// WordCountOptions define. Each attempt needs its own.
type speller struct {
	o     WordCountOptions
	ascii [utf8.RuneSelf]byte // the replacement of each ASCII character
	buf   []byte
}

func newSpeller(o WordCountOptions) *speller {
	s := &speller{o: o}
	for c := range s.ascii {
		s.ascii[c] = byte(s.spelled(rune(c)))
	}
	return s
}

// spelled returns the character that replaces r.
func (s *speller) spelled(r rune) rune {
	if s.o.Words && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
		return ' '
	}
	if s.o.Fold {
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

// pieceBytes is the approximate size of text rewritten at once.
const pieceBytes = 64 << 10

// pieces calls visit with the rewritten text, in pieces that end at white space. The next piece
// overwrites the last.
func (s *speller) pieces(text []byte, visit func(piece []byte)) {
	for len(text) > 0 {
		end := min(pieceBytes, len(text))
		for end < len(text) && !isSpace(text[end]) {
			end++
		}
		s.buf = s.appendTo(s.buf[:0], text[:end])
		visit(s.buf)
		text = text[end:]
	}
}

// isSpace reports whether a byte is ASCII white space.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// appendTo appends the rewritten text. Invalid UTF-8 is kept or, with o.Words, separates words.
func (s *speller) appendTo(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			dst = append(dst, s.ascii[c])
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r != utf8.RuneError || size > 1:
			dst = utf8.AppendRune(dst, s.spelled(r))
		case s.o.Words:
			dst = append(dst, ' ')
		default:
			dst = append(dst, text[i])
		}
		i += size
	}
	return dst
}
