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
	// Added to a byte below 0x80, these set its top bit if it is at least 9 (tab) or 14 (after
	// carriage return).
	from9  = 0x7777777777777777
	from14 = 0x7272727272727272
	// gather, as a factor, moves the top bits of 8 bytes into the top byte of the product.
	gather = 0x0002040810204081
)

// lastSpaces is spaces for the rest of a text from `at` on, fewer than block bytes. Bit i stands
// for text[at+i]; a bit at the end of text is set, too.
func lastSpaces(text []byte, at int) uint64 {
	n := len(text) - at
	end := uint64(1) << n
	if len(text) >= block {
		return spaces(unsafe.Pointer(&text[len(text)-block]))>>(block-n) | end
	}
	return shortSpaces(text)&(end-1) | end
}

const pageSize = 4096

// shortSpaces is like spaces, for a text shorter than block; bits after its end mean nothing.
//
// Invariant: it loads block bytes from the text's start only if they are in the same 4 KiB page:
// memory is mapped in whole pages, so the load cannot fault.
func shortSpaces(text []byte) uint64 {
	p := unsafe.Pointer(unsafe.SliceData(text))
	if loadsBeyond && p != nil && uintptr(p)%pageSize <= pageSize-block {
		return spaces(p)
	}
	var rest [block]byte
	copy(rest[:], text)
	return spaces(unsafe.Pointer(&rest))
}

// plainSpaces returns a word with bit i set where b[i] is white space. Tests compare spaces with
// it, and it replaces spaces where that has no assembly.
func plainSpaces(b *[block]byte) (m uint64) {
	for i := 0; i < block; i += 8 {
		m = m>>8 | spacesOf(binary.LittleEndian.Uint64(b[i:]))<<56
	}
	return m
}

// spacesOf returns a byte with bit i set where byte i of x is white space.
func spacesOf(x uint64) uint64 {
	y := x & low7
	control := (y + from9) &^ (y + from14)
	other := (y ^ space) + low7 // top bit set unless the byte is a space
	return (control | ^other) &^ x & tops * gather >> 56
}
