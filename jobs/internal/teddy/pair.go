package teddy

import "bytes"

// Pair finds two bytes at a distance. AnyFirst and AnySecond are bits that are set in a byte of the
// text before it is compared: that of lower case in a letter of any case, or none.
type Pair struct {
	First, Second       byte
	AnyFirst, AnySecond byte
	Distance            int // from the first to the second byte; 0 for one byte
}

// Index returns the first position from i on with both bytes, or len(s).
//
// They occur at their distance seldom except in the literal itself. In source code the S of
// "Shakespeare" occurs every 130 bytes and the p of "omput" every 60: bytes.IndexByte, which stops
// at each of those, reaches 9.3 and 4.7 GB/s, bytes.Index 8.8 and 2.2. This search reaches 28 and
// 20 with AVX2 (BenchmarkNeedles).
func (p *Pair) Index(s []byte, i int) int {
	places := len(s) - p.Distance
	if i < places {
		i += p.find(s[i:], places-i)
	}
	if i < places {
		return i
	}
	return len(s)
}

// findPortable returns what find does, without vector instructions.
func (p *Pair) findPortable(s []byte, places int) int {
	for i := 0; i < places; i++ {
		if p.AnyFirst == 0 {
			next := bytes.IndexByte(s[i:places], p.First)
			if next < 0 {
				break
			}
			i += next
		}
		if s[i]|p.AnyFirst == p.First && s[i+p.Distance]|p.AnySecond == p.Second {
			return i
		}
	}
	return places
}
