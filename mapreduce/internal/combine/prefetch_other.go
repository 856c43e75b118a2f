//go:build !amd64

package combine

import "unsafe"

// prefetches says that there is no prefetch: cells are loaded instead, which waits for them.
const prefetches = false

func prefetch(*uint64, int, uintptr, unsafe.Pointer, uintptr, uint64, uint64) {}
