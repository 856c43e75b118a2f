//go:build !amd64

package search

import "unsafe"

// skip is how many places, in whole blocks, may be passed over: the pair may be in the block behind
// them, or fewer than pairBlock of n are left. The first byte of place i is at x[i], the second one
// at y[i].
func (p *pair) skip(x, y unsafe.Pointer, n int) int { return p.skipPortable(x, y, n) }
