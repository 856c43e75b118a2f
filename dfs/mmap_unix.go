//go:build unix

package dfs

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of f for reading.
func mapFile(f *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(data []byte) error { return unix.Munmap(data) }

// dropPages drops the pages that are entirely within a mapped slice from this process. The slice's
// bytes stay the same, and other slices of the mapping may be in use. It is only advice, so errors
// are ignored.
func dropPages(b []byte) {
	page := os.Getpagesize()
	start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
	if end := start + (len(b)-start)&^(page-1); start < end {
		_ = unix.Madvise(b[start:end], unix.MADV_DONTNEED)
	}
}
