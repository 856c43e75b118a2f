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
		x := binary.LittleEndian.Uint64(b[i:])
		y := x & low7
		control := (y + from9) &^ (y + from14)
		other := (y ^ space) + low7 // top bit set unless the byte is a space
		m = m>>8 | (control|^other)&^x&tops*gather>>56<<56
	}
	return m
}
