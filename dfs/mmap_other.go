//go:build !unix

package dfs

import (
	"errors"
	"os"
)

// mapFile returns an error, since this system has no mappings here: Views then read the file.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

func dropPages([]byte) {}

func descriptorLimit() uint64 { return 0 }
