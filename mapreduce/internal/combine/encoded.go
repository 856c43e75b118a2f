package combine

import (
	"encoding/binary"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// keyRoom is the space for an encoded key that waits in a batch. It is four times that in a cell,
// because encoders may write more than they need (memory.AppendShort).
const keyRoom = 4 * inlineKey

// encodedKeys is the buffer for the encoded keys of a group, until they are hashed.
type encodedKeys [groupSize][keyRoom]byte

// PutEncoded returns a put function for keys that are not bytes; encode appends a key's encoding. A
// table that uses it must use no other put.
//
// Keys are hashed when their group is full. A load of 8 bytes just after the stores that wrote
// them would wait for the stores: that took a fifth of a WordCount with struct keys. The compiler
// must not inline PutEncoded elsewhere, because it would then inline nothing in the put function.
//
//go:noinline
func (t *Table) PutEncoded(encode func(dst []byte, key memory.Pointer) []byte) func(key memory.Pointer) {
	a, keys := &t.acc, new(encodedKeys)
	a.encoded = keys
	var large []byte // buffer for all keys, after the first that exceeds keyRoom
	return func(at memory.Pointer) {
		room := &keys[uint(a.short.n)%groupSize]
		dst := room[:0]
		if large != nil {
			dst = large
		}
		key := encode(dst, at)
		n := len(key)
		a.stats.Records++
		a.stats.Bytes += int64(n)
		if n > inlineKey {
			if cap(key) > max(cap(large), keyRoom) {
				large = key[:0]
			}
			a.putLong(key)
			return
		}
		if memory.First(key) != memory.Of(&room[0]) {
			copy(room[:], key)
		}
		w := &a.short.keys[uint(a.short.n)%batchSize]
		if w.mark = uint32(n) + 1; a.wordy() {
			a.wait(w)
		} else if a.short.n++; a.short.n%groupSize == 0 { // as wait, without a call
			a.endGroup()
		}
	}
}

// digest sets k0, k1 and hash of each pair of a group from its encoded key; mark must be set.
func (e *encodedKeys) digest(group []pending) {
	for i := range group {
		w, key := &group[i], &e[i]
		m := &masks[(w.mark-1)&31]
		w.k0, w.k1 = binary.NativeEndian.Uint64(key[:])&m[0], binary.NativeEndian.Uint64(key[8:])&m[1]
		w.hash = mix(w.k0, w.k1, uint64(w.mark))
	}
}
