package combine

// prefetches reports whether prefetch is implemented.
const prefetches = true

// prefetch makes the processor start to load the cells of n hashes, without waiting. The hashes are
// stride bytes apart, the first at hash. The cell of x has index x>>shift&mask and size bytes.
//
//go:noescape
func prefetch(hash *uint64, n int, stride uintptr, cells *cell, size uintptr, shift, mask uint64)
