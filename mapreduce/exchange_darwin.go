package mapreduce

import "golang.org/x/sys/unix"

// exchange makes two names change places in one step; an error says that this cannot be
// done there.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }

// renameNew renames a to b unless there is something, be it an empty directory: then the
// error is fs.ErrExist. Another says that this cannot be done there.
func renameNew(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_EXCL) }
