package mapreduce

import "golang.org/x/sys/unix"

// exchange makes two names change places in one step; an error says that this cannot be
// done there.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
