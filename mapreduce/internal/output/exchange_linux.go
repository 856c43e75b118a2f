package output

import "golang.org/x/sys/unix"

// How renameAs renames: it swaps two names, or returns fs.ErrExist if the new one exists.
const (
	swap = unix.RENAME_EXCHANGE
	free = unix.RENAME_NOREPLACE
)

// renameAs renames a to b, names in an open directory, atomically. Another error than that of free
// means that this is not possible there.
func renameAs(how uint, dir int, a, b string) error { return unix.Renameat2(dir, a, dir, b, how) }
