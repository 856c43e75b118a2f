package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange atomically swaps two names in a directory. It returns an error if that is not possible
// there.
func exchange(dir *os.File, a, b string) error {
	return unix.Renameat2(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_EXCHANGE)
}

// renameNew renames a to b, names in a directory, unless b exists, even as an empty directory: then
// the error is fs.ErrExist. Another error means that this is not possible there.
func renameNew(dir *os.File, a, b string) error {
	return unix.Renameat2(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_NOREPLACE)
}
