package combine

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// inlineKey is the number of key bytes a cell holds; longer keys go to the arena.
const inlineKey = 16

// masks[n] keeps the first n of 16 bytes loaded as two words: a table instead of branches on the
// key's length, which nothing predicts.
var masks = func() (list [32][2]uint64) {
	for n := range inlineKey + 1 {
		var kept [inlineKey]byte
		for i := range n {
			kept[i] = 0xFF
		}
		list[n] = [2]uint64{binary.NativeEndian.Uint64(kept[:]), binary.NativeEndian.Uint64(kept[8:])}
	}
	return list
}()

const pageSize = 4096

// inlineWords returns a key of at most 16 bytes as two words that have its bytes in memory as they
// are, zero padded.
//
// Invariant: it loads 16 bytes from the key's start, more than the key may have,
// but only if they lie in the same 4 KiB page as its first byte: memory is
// mapped in whole pages, so the load cannot fault, and the bytes beyond the key
// are masked off. That is why neither checkptr nor the race detector may look.
//
//go:nocheckptr
//go:norace
func inlineWords(key []byte) (k0, k1 uint64) {
	p := unsafe.Pointer(unsafe.SliceData(key))
	m := &masks[len(key)&31]
	if sixteenAt(p) && p != nil {
		return load(p, 0) & m[0], load(p, 8) & m[1]
	}
	return plainWords(key)
}

// sixteenAt reports whether 16 bytes may be loaded from p on if one may.
func sixteenAt(p unsafe.Pointer) bool { return uintptr(p)%pageSize <= pageSize-inlineKey }

// digest returns the words of a key of at most 16 bytes, and its hash: one call for both.
func digest(key []byte) (k0, k1, hash uint64) {
	p := unsafe.Pointer(unsafe.SliceData(key))
	if sixteenAt(p) && p != nil {
		m := &masks[len(key)&31]
		k0, k1 = load(p, 0)&m[0], load(p, 8)&m[1]
	} else {
		k0, k1 = plainWords(key)
	}
	return k0, k1, mix(k0, k1, uint64(len(key))+1)
}

// plainWords is inlineWords by a copy: its oracle, and its way at the end of a page.
func plainWords(key []byte) (k0, k1 uint64) {
	var padded [inlineKey]byte
	copy(padded[:], key)
	return binary.NativeEndian.Uint64(padded[:]), binary.NativeEndian.Uint64(padded[8:])
}

// load returns the 8 bytes at base+i as a word; the caller sees to it that they may be read.
//
//go:nocheckptr
//go:norace
func load(base unsafe.Pointer, i int) uint64 {
	return binary.NativeEndian.Uint64((*[8]byte)(unsafe.Add(base, i))[:])
}

const (
	odd1 = 0x9E3779B97F4A7C15
	odd2 = 0xC2B2AE3D27D4EB4F
)

// mix hashes an inline key; its high bits choose the cell. The length takes part
// because zero padding alone would join "a" and "a\x00" in one chain.
func mix(k0, k1, length uint64) uint64 {
	h, l := bits.Mul64(k0^odd2, (k1^length<<56)^odd1)
	return (h ^ l) * odd1
}

// prefix returns the first 8 bytes of the key as a big-endian number.
func (x *cellKey) prefix() uint64 {
	return binary.BigEndian.Uint64((*[8]byte)(unsafe.Pointer(&x.k0))[:])
}
