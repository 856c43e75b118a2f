package combine

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// keyRoom is the room of an encoded key that waits in a batch. A key in a cell takes a quarter of
// it: encoders may write more than they need (memory.AppendShort).
const keyRoom = 4 * inlineKey

// encodedKeys are the keys of the half of a batch that is being filled.
type encodedKeys [batchSize][keyRoom]byte

// EncodedEmitter is Emit as a function of keys that have to be encoded. It must be the only one
// that emits to the table.
//
// A key is not looked at until its half of the batch is full: its bytes, stored field by field, are
// on their way to memory until then, and a load of eight that several stores have made waits for
// them. That was a fifth of a WordCount with structs for keys.
//
//go:noinline
func EncodedEmitter[K, V any](t *Table[V], encode func(dst []byte, key unsafe.Pointer) []byte) func(K, V) {
	keys, box := new(encodedKeys), new(K)
	t.acc.encoded = keys
	var large []byte // for all keys, once there has been one that has no room
	return func(k K, v V) {
		if atomic.LoadUint32(&t.gate.Now.Asked) != 0 {
			t.gate.Sign()
		}
		*box = k
		room := &keys[uint(t.acc.short.n)%batchSize]
		dst := room[:0]
		if large != nil {
			dst = large
		}
		key := encode(dst, unsafe.Pointer(box))
		n := len(key)
		t.acc.stats.Records++
		t.acc.stats.Bytes += int64(n)
		if n > inlineKey {
			if cap(key) > max(cap(large), keyRoom) {
				large = key[:0]
			}
			t.acc.putLong(key, v)
			return
		}
		if unsafe.SliceData(key) != &room[0] {
			copy(room[:], key)
		}
		at := uint(t.acc.short.n) % (2 * batchSize)
		w := &t.acc.short.keys[at]
		if w.mark = uint32(n) + 1; t.acc.hash.sum {
			w.word = wordOf(&v)
		} else {
			t.acc.values[at] = v
		}
		if t.acc.short.n++; t.acc.short.n%batchSize == 0 {
			t.acc.turn()
		}
	}
}

// digest fills in the words and hashes of pending keys, of which only the lengths are known.
func (e *encodedKeys) digest(waiting []pending) {
	for i := range waiting {
		w, key := &waiting[i], &e[i]
		m := &masks[(w.mark-1)&31]
		w.k0, w.k1 = binary.NativeEndian.Uint64(key[:])&m[0], binary.NativeEndian.Uint64(key[8:])&m[1]
		w.hash = mix(w.k0, w.k1, uint64(w.mark))
	}
}
