package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange atomically swaps two names in a directory (nil: two paths). It returns an error if that
// is not possible there.
func exchange(dir *os.File, a, b string) error {
	at := descriptorOf(dir)
	return unix.Renameat2(at, a, at, b, unix.RENAME_EXCHANGE)
}

// renameNew renames a to b, names in a directory (nil: paths), unless b exists, even as an empty
// directory: then the error is fs.ErrExist. Another error means that this is not possible there.
func renameNew(dir *os.File, a, b string) error {
	at := descriptorOf(dir)
	return unix.Renameat2(at, a, at, b, unix.RENAME_NOREPLACE)
}

func descriptorOf(dir *os.File) int {
	if dir == nil {
		return unix.AT_FDCWD
	}
	return int(dir.Fd())
}
