package output

import "golang.org/x/sys/unix"

// exchange swaps the names a and b in an open directory, in one step.
func exchange(dir int, a, b string) error {
	return unix.RenameatxNp(dir, a, dir, b, unix.RENAME_SWAP)
}
