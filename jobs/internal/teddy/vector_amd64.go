package teddy

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// block is the number of positions that the functions with AVX2 examine per step.
const block = 32

// approach returns how many bytes of s to skip: after them a pattern may begin, or fewer than
// Bytes remain.
func (t *Table) approach(s []byte) int {
	i, places := 0, len(s)-Bytes+1
	if cpu.X86.HasAVX2 {
		if i = approachAVX2(t, unsafe.Pointer(unsafe.SliceData(s)), places); i+block <= places {
			return i
		}
	}
	return i + t.approachPortable(s[i:])
}

// find returns the first of the places positions of s with both bytes, or places.
func (p *Pair) find(s []byte, places int) int {
	i := 0
	if cpu.X86.HasAVX2 {
		if i = findAVX2(p, unsafe.Pointer(unsafe.SliceData(s)), places); i+block <= places {
			return i
		}
	}
	return i + p.findPortable(s[i:], places-i)
}

// approachAVX2 returns the first of n positions at which the nibble tables allow a pattern, or the
// first one outside of a whole block. Position i covers s[i:i+Bytes].
//
//go:noescape
func approachAVX2(t *Table, s unsafe.Pointer, n int) int

// findAVX2 returns the first of n positions of s with both bytes, or the first one outside of a
// whole block.
//
//go:noescape
func findAVX2(p *Pair, s unsafe.Pointer, n int) int
