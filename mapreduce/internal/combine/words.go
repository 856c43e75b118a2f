package combine

import (
	"encoding/binary"
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// inlineKey is the number of key bytes that a cell holds. Longer keys are in the arena.
const inlineKey = 16

// masks[n] is a mask for the first n of 16 bytes, as two words. Masks from a table avoid branches
// on the key's length, which the processor cannot predict.
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

// inlineWords returns a key of at most 16 bytes as two words in native byte order, zero padded.
//
// It loads 16 bytes from the key's start, more than the key may have, if memory.Pointer.InPage
// allows it, and masks the bytes beyond the key.
//
//go:nocheckptr
//go:norace
func inlineWords(key []byte) (k0, k1 uint64) {
	p := memory.First(key)
	m := &masks[len(key)&31]
	if p.InPage(inlineKey) && !p.IsNil() {
		return p.Load(0) & m[0], p.Load(8) & m[1]
	}
	return plainWords(key)
}

// digest returns inlineWords of a key of at most 16 bytes and their hash, in one call.
func digest(key []byte) (k0, k1, hash uint64) {
	p := memory.First(key)
	if p.InPage(inlineKey) && !p.IsNil() {
		m := &masks[len(key)&31]
		k0, k1 = p.Load(0)&m[0], p.Load(8)&m[1]
	} else {
		k0, k1 = plainWords(key)
	}
	return k0, k1, mix(k0, k1, uint64(len(key))+1)
}

// plainWords returns what inlineWords returns, but copies the key: for keys at page ends.
func plainWords(key []byte) (k0, k1 uint64) {
	var padded [inlineKey]byte
	copy(padded[:], key)
	return binary.NativeEndian.Uint64(padded[:]), binary.NativeEndian.Uint64(padded[8:])
}

const (
	odd1 = 0x9E3779B97F4A7C15
	odd2 = 0xC2B2AE3D27D4EB4F
)

// mix returns the hash of a key of at most 16 bytes; its high bits choose the cell. It includes the
// length, because zero padding alone would put "a" and "a\x00" into one chain.
func mix(k0, k1, length uint64) uint64 {
	h, l := bits.Mul64(k0^odd2, (k1^length<<56)^odd1)
	return (h ^ l) * odd1
}

// prefix returns the first 8 bytes of the key as a big-endian number, which sorts as the key does.
func (x *cellKey) prefix() uint64 {
	return binary.BigEndian.Uint64(memory.To[[8]byte](memory.Of(&x.k0))[:])
}
