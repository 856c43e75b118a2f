package combine

import (
	"math/bits"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

const (
	low7 = 0x7f7f7f7f7f7f7f7f
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// controls marks, with 0x80, each byte of x that is at most 0x20: white space
// and control characters.
func controls(x uint64) uint64 { return ^(((x & low7) + 0x5f*ones) | x) & tops }

// EmitFields emits v for each word of text, as scan.Fields would find them, in
// one loop without a call a word: a word's end is found in the words that
// become its inline key.
func (t *Table[V]) EmitFields(text []byte, v V) {
	done := t.emitInner(text, v)
	scan.Fields(text[done:], func(word []byte) bool {
		t.Emit(word, v)
		return true
	})
}

// reach is how many bytes from a word's start emitInner loads.
const reach = 2 * 8

// emitInner emits the words that start at least reach bytes before the end of
// text and returns where it stopped, between two words.
func (t *Table[V]) emitInner(text []byte, v V) int {
	base := unsafe.Pointer(unsafe.SliceData(text))
	records, size := int64(0), int64(0)
	i := 0
	for i+reach <= len(text) {
		k0 := load(base, i)
		var k1 uint64
		n := 0
		if m := controls(k0); m != 0 {
			z := bits.TrailingZeros64(m)
			n = z >> 3
			k0 &= 1<<(uint(z-7)&63) - 1
		} else {
			k1 = load(base, i+8)
			n = inlineKey
			if m = controls(k1); m != 0 {
				z := bits.TrailingZeros64(m)
				n = 8 + z>>3
				k1 &= 1<<(uint(z-7)&63) - 1
			}
		}
		if n == 0 && scan.IsSpace(text[i]) {
			i++
			continue
		}
		if n == inlineKey || !scan.IsSpace(text[i+n]) {
			n = wordEnd(text[i:], n)
			t.Emit(text[i:i+n], v)
			i += n + 1
			continue
		}
		w := &t.b.q[t.b.n]
		w.k0, w.k1, w.mark, w.value = k0, k1, uint32(n)+1, v
		w.hash = mix(k0, k1, uint64(w.mark))
		if t.b.n++; t.b.n == batchSize {
			t.flush()
		}
		records++
		size += int64(n)
		i += n + 1
	}
	t.stats.Records += records
	t.stats.Bytes += size
	return min(i, len(text))
}

// wordEnd returns the length of the word at the start of text, of which n bytes
// are known.
func wordEnd(text []byte, n int) int {
	for n < len(text) && !scan.IsSpace(text[n]) {
		n++
	}
	return n
}
