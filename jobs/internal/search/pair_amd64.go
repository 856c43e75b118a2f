package search

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// find returns the first of the places positions of s with both bytes, or places.
func (p *pair) find(s []byte, places int) int {
	i := 0
	if cpu.X86.HasAVX2 {
		if i = findAVX2(p, unsafe.Pointer(unsafe.SliceData(s)), places); i+pairBlock <= places {
			return i
		}
	}
	return i + p.findPortable(s[i:], places-i)
}

// pairBlock is the number of positions that findAVX2 examines per step.
const pairBlock = 32

// findAVX2 returns the first of n positions of s with both bytes, or the first one outside of a
// whole block.
//
//go:noescape
func findAVX2(p *pair, s unsafe.Pointer, n int) int
