//go:build !amd64

package combine

// prefetches reports whether prefetch is implemented. If not, touch reads the cells, which waits.
const prefetches = false

func prefetch(*uint64, int, uintptr, *cell, uintptr, uint64, uint64) {}
