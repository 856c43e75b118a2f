package output

import "golang.org/x/sys/unix"

// How renameAs renames: it swaps two names, or returns fs.ErrExist if the new one exists.
const (
	swap = unix.RENAME_SWAP
	free = unix.RENAME_EXCL
)

// renameAs renames a to b, names in an open directory, atomically. Another error than that of free
// means that this is not possible there.
func renameAs(how uint, dir int, a, b string) error {
	return unix.RenameatxNp(dir, a, dir, b, uint32(how))
}
