package search

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// skip is how many places, in whole blocks, may be passed over: the pair may be in the block behind
// them, or fewer than pairBlock of n are left. The first byte of place i is at x[i], the second one
// at y[i].
func (p *pair) skip(x, y unsafe.Pointer, n int) int {
	if cpu.X86.HasAVX2 {
		return skipAVX2(p, x, y, n)
	}
	return p.skipPortable(x, y, n)
}

//go:noescape
func skipAVX2(p *pair, x, y unsafe.Pointer, n int) int
