package combine

import "unsafe"

// prefetches says that there is a prefetch.
const prefetches = true

// prefetch asks for n cells of a table and does not wait for them. Their hashes lie stride bytes
// apart; the cell of a hash is that at hash>>shift&mask, and each has size bytes.
//
//go:noescape
func prefetch(hash *uint64, n int, stride uintptr, cells unsafe.Pointer, size uintptr, shift, mask uint64)
