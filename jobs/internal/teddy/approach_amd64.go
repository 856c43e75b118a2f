package teddy

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// approach returns how many bytes of s to skip: after them a pattern may begin, or fewer than
// Bytes remain.
func (t *Table) approach(s []byte) int {
	i, places := 0, len(s)-Bytes+1
	if cpu.X86.HasAVX2 {
		if i = approachAVX2(t, unsafe.Pointer(unsafe.SliceData(s)), places); i+approachBlock <= places {
			return i
		}
	}
	return i + t.approachPortable(s[i:])
}

// approachBlock is the number of positions that approachAVX2 examines per step.
const approachBlock = 32

// approachAVX2 returns the first of n positions at which the nibble tables allow a pattern, or the
// first one outside of a whole block. Position i covers s[i:i+Bytes].
//
//go:noescape
func approachAVX2(t *Table, s unsafe.Pointer, n int) int
