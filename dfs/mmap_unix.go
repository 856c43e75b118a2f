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

// dropPages drops the pages that lie entirely within b, a part of a mapping, from this process's
// memory. A later access loads them from the file, with the same bytes. Errors are ignored: it is
// advice to the system.
func dropPages(b []byte) {
	page := os.Getpagesize()
	start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
	if end := start + (len(b)-start)&^(page-1); start < end {
		_ = unix.Madvise(b[start:end], unix.MADV_DONTNEED)
	}
}

// descriptorLimit returns how many descriptors this process may open, or 0 if unknown.
func descriptorLimit() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // its type depends on the system
}
