package dfa

import "strings"

// unfinished describes a character of which only the first bytes have been read.
type unfinished struct {
	read, left int   // number of bytes
	class      int32 // of all characters that begin with the bytes read
}

// merged returns bytes that stand for begun, the first bytes of a character. They are the same for
// all whose characters have the same class, so that few states suffice for many characters.
func (s *Searcher) merged(begun []byte) string {
	if len(begun) == 0 {
		return ""
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
	class, last := s.p.alphabet.search(r<<(6*left)), s.p.alphabet.search((r+1)<<(6*left)-1)
	if class != last || len(begun) == 1 && strings.IndexByte("\xe0\xed\xf0\xf4", begun[0]) >= 0 { // these limit the next byte
		return string(begun)
	}
	of := unfinished{len(begun), left, class}
	if s.alike[of] == "" {
		s.alike[of] = string(begun)
	}
	return s.alike[of]
}
