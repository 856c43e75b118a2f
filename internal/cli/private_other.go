//go:build !unix

package cli

import "io/fs"

// othersRead tells whether others than the owner may read a file: what a mode does not tell here.
func othersRead(fs.FileInfo) bool { return false }
