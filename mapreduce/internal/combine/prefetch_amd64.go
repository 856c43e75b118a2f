package combine

import "unsafe"

// prefetches reports whether prefetch is implemented.
const prefetches = true

// prefetch starts to load n cells of a table and does not wait. Their hashes are stride bytes
// apart; a hash's cell has index hash>>shift&mask, and each cell has size bytes.
//
//go:noescape
func prefetch(hash *uint64, n int, stride uintptr, cells unsafe.Pointer, size uintptr, shift, mask uint64)
