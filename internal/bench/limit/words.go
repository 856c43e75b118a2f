package limit

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// loadSlack is the maximum number of bytes that are loaded after a word's start.
const loadSlack = 16

// batchSize is the number of words that are looked up together.
const batchSize = 64

// pending is a word of at most 15 bytes waiting for its look-up. text points into the input, which
// outlives the batch.
type pending struct {
	k0, k1, hash uint64
	length       int
	text         unsafe.Pointer
}

// counter counts words into its table, a batch at a time.
type counter struct {
	table *table
	batch [batchSize]pending
	sum   uint64 // of what touch loaded; kept so that the loads are not optimized away
}

// count counts the words that start in data[from:to]. data must contain every byte up to
// to+loadSlack; a word may extend beyond to, up to the end of data.
//
// It loads through a pointer to spare two bounds checks a word. A word takes 20 ns of one core, of
// which 8 are finding and hashing the word and the rest is the table.
func (c *counter) count(data []byte, from, to int) {
	base := unsafe.Pointer(unsafe.SliceData(data))
	at := from
	if at > 0 { // a word that started before is counted with the bytes before
		for at < to && !isBlank(data[at-1]) {
			at++
		}
	}
	n := 0
	for at < to {
		p := unsafe.Add(base, at)
		var k0, k1 uint64
		var length int
		x := *(*uint64)(p)
		if m := blanks(x); m != 0 {
			z := bits.TrailingZeros64(m)
			if z == 7 {
				at++
				continue
			}
			length = z >> 3
			k0 = x & (1<<(uint(z-7)&63) - 1)
		} else {
			y := *(*uint64)(unsafe.Add(p, 8))
			m := blanks(y)
			if m == 0 {
				at += c.long(data[at:]) + 1
				continue
			}
			z := bits.TrailingZeros64(m)
			length = 8 + z>>3
			k0, k1 = x, y&(1<<(uint(z-7)&63)-1)
		}
		w := &c.batch[n&(batchSize-1)]
		w.k0, w.k1, w.hash, w.length, w.text = k0, k1, hash16(k0, k1), length, p
		if n++; n == batchSize {
			c.flush(n)
			n = 0
		}
		at += length + 1
	}
	c.flush(n)
}

// long counts the word at the start of text, which has at least 16 bytes, and returns its length.
func (c *counter) long(text []byte) int {
	length := loadSlack
	for length < len(text) && !isBlank(text[length]) {
		length++
	}
	k0, k1 := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
	h := hash16(k0, k1)
	if length > 16 {
		h = hashLong(text[:length])
	}
	c.table.add(k0, k1, h, 1, text[:length])
	return length
}

// flush looks up the first n pending words. Each probe of a big table misses the cache. Loading the
// first probes of all words before any comparison lets the misses overlap: 1 GiB takes 2.3 s
// instead of 3.1 s.
func (c *counter) flush(n int) {
	t := c.table
	entries := t.entries.of
	mask, shift := uint64(len(entries)-1), t.shift&63
	words := c.batch[:n]
	for i := range words {
		c.sum += entries[words[i].hash>>shift&mask].k0
	}
	for j := range words {
		w := &words[j]
		for i := w.hash >> shift; ; i++ {
			e := &entries[i&mask]
			if e.k0 == w.k0 && e.k1 == w.k1 && int(e.length) == w.length {
				e.count++
				break
			}
			if e.count == 0 {
				t.add(w.k0, w.k1, w.hash, 1, unsafe.Slice((*byte)(w.text), w.length))
				entries = t.entries.of
				mask, shift = uint64(len(entries)-1), t.shift&63
				break
			}
		}
	}
}

// Eight bytes at a time: a uint64 loaded little-endian holds text byte i in bits 8i … 8i+7.
const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// isBlank reports whether c separates words: ASCII white space, as in tr -s '[:space:]'.
func isBlank(c byte) bool { return c == ' ' || c-'\t' < 5 }

// blanks returns 0x80 in each byte of x that separates words: 0x09 … 0x0d and 0x20, and no other
// bit.
//
// Adding to the low seven bits of each byte sets its high bit when they reach a bound, and never
// carries into the next byte.
func blanks(x uint64) uint64 {
	low := x &^ highBits
	fromTab := low + (0x80-'\t')*eachByte
	pastReturn := low + (0x80-'\r'-1)*eachByte
	notSpace := (low ^ ' '*eachByte) + 0x7f*eachByte
	return (fromTab&^pastReturn | ^notSpace) &^ x & highBits
}

// prefix8 returns the first eight bytes of text as a big-endian number, padded with zeros, so that
// numbers compare as the bytes do.
func prefix8(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var p uint64
	for i, c := range text {
		p |= uint64(c) << (56 - 8*i)
	}
	return p
}

// hash16 returns a hash of a word's first 16 bytes; its high bits choose the table slot.
func hash16(k0, k1 uint64) uint64 {
	const odd0, odd1 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	hi, lo := bits.Mul64(k0^odd1, k1^odd0)
	return (hi ^ lo) * odd0
}

// hashLong returns a hash of all bytes of a word of at least 16.
func hashLong(word []byte) uint64 {
	h := hash16(binary.LittleEndian.Uint64(word), binary.LittleEndian.Uint64(word[8:]))
	for i := 16; i+8 <= len(word); i += 8 {
		h = hash16(h, binary.LittleEndian.Uint64(word[i:]))
	}
	return hash16(h, binary.LittleEndian.Uint64(word[len(word)-8:]))
}
