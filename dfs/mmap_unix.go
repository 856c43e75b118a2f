//go:build unix

package dfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of f for reading.
func mapFile(f *os.File, size int64) (data []byte, mapped bool, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	return data, err == nil, err
}

func unmapFile(data []byte) error { return unix.Munmap(data) }
