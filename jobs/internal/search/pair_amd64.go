package search

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// skip returns how many positions, in whole blocks, to skip: the pair may be in the following
// block, or fewer than pairBlock of n positions remain. The first byte of position i is at x[i],
// the second at y[i].
func (p *pair) skip(x, y unsafe.Pointer, n int) int {
	if cpu.X86.HasAVX2 {
		return skipAVX2(p, x, y, n)
	}
	return p.skipPortable(x, y, n)
}

//go:noescape
func skipAVX2(p *pair, x, y unsafe.Pointer, n int) int
