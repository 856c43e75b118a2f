//go:build !unix

package dfs

import (
	"io"
	"os"
)

// mapFile reads the file: a system without mmap still runs jobs, with the input in memory.
func mapFile(f *os.File, size int64) (data []byte, mapped bool, err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, false, err
}

func unmapFile([]byte) error { return nil }

func dropPages([]byte) {}
