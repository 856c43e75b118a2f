//go:build !unix

package dfs

import (
	"errors"
	"os"
)

// mapFile cannot: Views are read.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func dropPages([]byte) {}
