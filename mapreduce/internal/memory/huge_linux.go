package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Huge asks the kernel for huge pages for an unused slice of the Go heap, if it is large enough.
// Random access to a large table then needs fewer page table lookups.
func Huge[T any](s []T) {
	var t T
	n := uintptr(len(s)) * unsafe.Sizeof(t)
	if n < 2*hugePage {
		return
	}
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(s))) & (hugePage - 1)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), n)
	_ = unix.Madvise(b[skip:skip+(n-skip)&^(hugePage-1)], unix.MADV_HUGEPAGE)
}
