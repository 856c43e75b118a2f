//go:build !amd64

package search

import "unsafe"

// skip returns how many positions, in whole blocks, to skip: the pair may be in the following
// block, or fewer than pairBlock of n positions remain. The first byte of position i is at x[i],
// the second at y[i].
func (p *pair) skip(x, y unsafe.Pointer, n int) int { return p.skipPortable(x, y, n) }
