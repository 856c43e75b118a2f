package combine

import (
	"math/bits"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// EmitFields emits v for each word of text, as scan.Fields would find them, in
// one loop without a call a word.
func (t *Table[V]) EmitFields(text []byte, v V) {
	t.gate.Sign()
	done := t.emitInner(text, v)
	scan.Fields(text[done:], func(word []byte) bool {
		t.Emit(word, v)
		return true
	})
}

// emitInner emits the words that end in whole blocks of text, the last of which
// is left out, and returns where the next word may begin. Because of that last
// block the 16 bytes from any word's start may be loaded.
func (t *Table[V]) emitInner(text []byte, v V) int {
	base := unsafe.Pointer(unsafe.SliceData(text))
	start, records, size := 0, 0, 0
	for at := 0; at+2*scan.Block <= len(text); at += scan.Block {
		for m := scan.Spaces((*[scan.Block]byte)(text[at:])); m != 0; m &= m - 1 {
			end := at + bits.TrailingZeros64(m)
			n := end - start
			if n > inlineKey {
				t.Emit(text[start:end], v)
			} else if n > 0 {
				keep := &masks[n&31]
				w := &t.b.q[t.b.n]
				w.k0, w.k1 = load(base, start)&keep[0], load(base, start+8)&keep[1]
				w.mark, w.value = uint32(n)+1, v
				w.hash = mix(w.k0, w.k1, uint64(w.mark))
				records, size = records+1, size+n
				if t.b.n++; t.b.n%batchSize == 0 {
					t.turn()
				}
			}
			start = end + 1
		}
	}
	t.stats.Records += int64(records)
	t.stats.Bytes += int64(size)
	return start
}
