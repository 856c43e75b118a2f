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
