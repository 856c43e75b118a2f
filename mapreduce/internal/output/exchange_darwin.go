package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange makes two names in a directory (nil: two paths) change places in one step; an error says
// that this cannot be done there.
func exchange(dir *os.File, a, b string) error {
	at := descriptorOf(dir)
	return unix.RenameatxNp(at, a, at, b, unix.RENAME_SWAP)
}

// renameNew renames a to b, names in a directory (nil: paths), unless there is something, be it an
// empty directory: then the error is fs.ErrExist. Another says that this cannot be done there.
func renameNew(dir *os.File, a, b string) error {
	at := descriptorOf(dir)
	return unix.RenameatxNp(at, a, at, b, unix.RENAME_EXCL)
}

func descriptorOf(dir *os.File) int {
	if dir == nil {
		return unix.AT_FDCWD
	}
	return int(dir.Fd())
}
