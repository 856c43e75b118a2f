//go:build unix

package serve

import (
	"io/fs"
	"syscall"
)

// hasLinks reports whether a file may have several names.
func hasLinks(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Nlink > 1
}
