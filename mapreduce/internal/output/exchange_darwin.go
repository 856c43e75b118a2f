package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// How renameAs renames: it swaps two names, or returns fs.ErrExist if the new one exists.
const (
	swap = unix.RENAME_SWAP
	free = unix.RENAME_EXCL
)

// renameAs renames a to b, names in a directory (nil: paths), atomically. Another error than that of
// free means that this is not possible there.
func renameAs(how uint, dir *os.File, a, b string) error {
	at := unix.AT_FDCWD
	if dir != nil {
		at = int(dir.Fd())
	}
	return unix.RenameatxNp(at, a, at, b, uint32(how))
}
