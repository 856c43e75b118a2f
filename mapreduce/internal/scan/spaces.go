package scan

import (
	"encoding/binary"
	"unsafe"
)

// block is the number of bytes that one call of spaces examines.
const block = 64

const (
	low7  = 0x7f7f7f7f7f7f7f7f
	tops  = 0x8080808080808080
	space = 0x2020202020202020
	// Each is added to a byte below 0x80. from9 sets its top bit if it is at least 9 (tab), from14
	// if it is at least 14 (after carriage return).
	from9  = 0x7777777777777777
	from14 = 0x7272727272727272
	// gather is a factor: the product has the top bits of the 8 bytes in its top byte.
	gather = 0x0002040810204081
)

// lastSpaces is spaces for the rest of a text from `at` on, which is less than a block. Bit i is
// for text[at+i]; the bit just after the text is set, too.
func lastSpaces(text []byte, at int) uint64 {
	n := len(text) - at
	end := uint64(1) << n
	if len(text) >= block {
		return spaces((*[block]byte)(text[len(text)-block:]))>>(block-n) | end
	}
	return shortSpaces(text)&(end-1) | end
}

const pageSize = 4096

// shortSpaces is spaces for a text shorter than a block. The bits after its end have no meaning.
//
// Invariant: it loads a whole block from the text's start only if the block is in one 4 KiB page.
// Memory is mapped in whole pages, so the load cannot fault.
func shortSpaces(text []byte) uint64 {
	p := unsafe.Pointer(unsafe.SliceData(text))
	if loadsBeyond && p != nil && uintptr(p)%pageSize <= pageSize-block {
		return spaces((*[block]byte)(p))
	}
	var rest [block]byte
	copy(rest[:], text)
	return spaces(&rest)
}

// bytesOf returns the bytes of text without a copy.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// plainSpaces returns a word with bit i set where b[i] is white space. It replaces spaces on
// processors without assembly, and tests compare spaces with it.
func plainSpaces(b *[block]byte) (m uint64) {
	for i := 0; i < block; i += 8 {
		m = m>>8 | spacesOf(binary.LittleEndian.Uint64(b[i:]))<<56
	}
	return m
}

// spacesOf returns a byte with bit i set if byte i of x, the lowest first, is white space.
func spacesOf(x uint64) uint64 {
	y := x & low7
	control := (y + from9) &^ (y + from14)
	other := (y ^ space) + low7 // top bit set unless the byte is a space
	return (control | ^other) &^ x & tops * gather >> 56
}
