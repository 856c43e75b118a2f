package scan

import "encoding/binary"

// Block is the number of bytes that Spaces looks at.
const Block = 64

const (
	low7  = 0x7f7f7f7f7f7f7f7f
	tops  = 0x8080808080808080
	space = 0x2020202020202020
	// Added to a byte below 0x80, these set its top bit if it is at least 9, a
	// tab, or 14, behind a carriage return.
	from9  = 0x7777777777777777
	from14 = 0x7272727272727272
	// gather moves the top bits of 8 bytes into the top byte of a product.
	gather = 0x0002040810204081
)

// Spaces returns a word with bit i set where b[i] is white space.
func Spaces(b *[Block]byte) (m uint64) {
	for i := 0; i < Block; i += 8 {
		m = m>>8 | spacesOf(binary.LittleEndian.Uint64(b[i:]))<<56
	}
	return m
}

// someSpaces is Spaces for the first n bytes alone, fewer than Block.
func someSpaces(b *[Block]byte, n int) (m uint64) {
	for i := 0; i < n; i += 8 {
		m |= spacesOf(binary.LittleEndian.Uint64(b[i&(Block-8):])) << i
	}
	return m & (1<<n - 1)
}

// spacesOf returns a byte with bit i set where byte i of x is white space.
func spacesOf(x uint64) uint64 {
	y := x & low7
	control := (y + from9) &^ (y + from14)
	other := (y ^ space) + low7 // top bit set unless the byte is a space
	return (control | ^other) &^ x & tops * gather >> 56
}
