package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Huge asks for huge pages under a slice of the Go heap that nobody has written to, where it covers
// some. A table that is read all over finds its cells with fewer looks at tables of pages.
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
