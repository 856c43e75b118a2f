//go:build !unix

package dfs

import (
	"errors"
	"os"
)

// mapFile is not supported on this system: Views read the file.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func dropPages([]byte) {}
