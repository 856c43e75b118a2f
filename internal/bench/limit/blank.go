package limit

import (
	"encoding/binary"
	"math/bits"
)

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
