//go:build unix

package cli

import "io/fs"

// othersRead tells whether others than the owner may read a file.
func othersRead(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
