package gen

import "math"

// lineBytes is the length of a line of text after which the current word is its last.
const lineBytes = 72

// vocabulary is a list of words, the most frequent first, in one byte slice.
type vocabulary struct {
	bytes   []byte
	end     []int32 // word i is bytes[end[i-1]:end[i]]
	longest int
	ofSize  [][]byte // by length: a word of that length, or nil
}

// newVocabulary draws n distinct words from a seed. Frequent words are short: the length grows with
// the logarithm of the rank.
func newVocabulary(n int, seed uint64) *vocabulary {
	const vowels, consonants = "aeiou", "tnsrhdlcmfpgwybvkxjqz"
	r := newRng(seed, -1)
	v := &vocabulary{end: make([]int32, 0, n)}
	seen := make(map[string]bool, n)
	var word []byte
	for len(v.end) < n {
		size := int(1.6 + 0.48*math.Log2(float64(len(v.end)+2)) + 2.2*r.float())
		word = word[:0]
		for i := range size {
			if (i+int(r.next()&1))%2 == 1 {
				word = append(word, vowels[r.n(len(vowels))])
			} else {
				x := r.float()
				word = append(word, consonants[int(x*x*float64(len(consonants)))])
			}
		}
		if seen[string(word)] {
			continue
		}
		seen[string(word)] = true
		v.bytes = append(v.bytes, word...)
		v.end = append(v.end, int32(len(v.bytes)))
		v.longest = max(v.longest, size)
	}
	v.ofSize = make([][]byte, v.longest+1)
	for i := range n {
		if w := v.word(i); v.ofSize[len(w)] == nil {
			v.ofSize[len(w)] = w
		}
	}
	return v
}

// word returns the word of rank i.
func (v *vocabulary) word(i int) []byte {
	start := int32(0)
	if i > 0 {
		start = v.end[i-1]
	}
	return v.bytes[start:v.end[i]]
}

// appendSize appends exactly size bytes: a word, or letters z if the vocabulary has none.
func (v *vocabulary) appendSize(buf []byte, size int) []byte {
	if size < len(v.ofSize) && v.ofSize[size] != nil {
		return append(buf, v.ofSize[size]...)
	}
	for range size {
		buf = append(buf, 'z')
	}
	return buf
}

// newText returns the fill for Text: random words, single spaces, lines of about 73 bytes.
func newText(c Config) fill {
	v, ranks := newVocabulary(c.Words, c.Seed), newZipf(c.Words, c.Skew)
	return func(buf []byte, n int, _ int64, r *rng) []byte {
		column := 0
		for n > v.longest+2 {
			w := v.word(ranks.draw(r))
			buf = append(buf, w...)
			n -= len(w) + 1
			if column += len(w) + 1; column > lineBytes {
				buf, column = append(buf, '\n'), 0
			} else {
				buf = append(buf, ' ')
			}
		}
		return append(v.appendSize(buf, n-1), '\n')
	}
}

// newPairs returns the fill for Pairs: lines of a word, a tab and a number of up to 6 digits.
func newPairs(c Config) fill {
	v, ranks := newVocabulary(c.Words, c.Seed), newZipf(c.Words, c.Skew)
	const digits = 6
	return func(buf []byte, n int, _ int64, r *rng) []byte {
		for n > v.longest+digits+2+4 { // room for this line, and then a key, a tab, a digit and a line feed
			w, size := v.word(ranks.draw(r)), 1+r.n(digits)
			buf = append(append(buf, w...), '\t')
			buf = append(appendDigits(buf, size, r), '\n')
			n -= len(w) + size + 2
		}
		if n < 4 { // only if the whole output is this small
			return append(appendDigits(buf, n-1, r), '\n')
		}
		size := min(digits, n-3)
		buf = append(v.appendSize(buf, n-2-size), '\t')
		return append(appendDigits(buf, size, r), '\n')
	}
}

// appendDigits appends a decimal number of exactly this many digits, without leading zeros.
func appendDigits(buf []byte, size int, r *rng) []byte {
	for i := range size {
		if i == 0 && size > 1 {
			buf = append(buf, byte('1'+r.n(9)))
		} else {
			buf = append(buf, byte('0'+r.n(10)))
		}
	}
	return buf
}

// newNumbers returns the fill for Numbers: lines of one number each.
func newNumbers(Config) fill {
	const digits = 9
	return func(buf []byte, n int, _ int64, r *rng) []byte {
		for n > digits+3 {
			size := 1 + r.n(digits)
			buf = append(appendDigits(buf, size, r), '\n')
			n -= size + 1
		}
		return append(appendDigits(buf, n-1, r), '\n')
	}
}

// newLines returns the fill for Lines: lines of random printable ASCII characters.
func newLines(Config) fill {
	const longest = 100
	return func(buf []byte, n int, _ int64, r *rng) []byte {
		for n > 0 {
			size := min(r.n(longest+1), n-1)
			buf = append(appendPrintable(buf, size, r), '\n')
			n -= size + 1
		}
		return buf
	}
}

// appendPrintable appends random characters from space to tilde.
func appendPrintable(buf []byte, size int, r *rng) []byte {
	for range size {
		buf = append(buf, byte(' '+r.n('~'-' '+1)))
	}
	return buf
}
