package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// How renameAs renames: it swaps two names, or returns fs.ErrExist if the new one exists.
const (
	swap = unix.RENAME_EXCHANGE
	free = unix.RENAME_NOREPLACE
)

// renameAs renames a to b, names in a directory (nil: paths), atomically. Another error than that of
// free means that this is not possible there.
func renameAs(how uint, dir *os.File, a, b string) error {
	at := unix.AT_FDCWD
	if dir != nil {
		at = int(dir.Fd())
	}
	return unix.Renameat2(at, a, at, b, how)
}
