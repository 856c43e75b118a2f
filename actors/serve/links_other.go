//go:build !unix

package serve

import "io/fs"

// hasLinks reports whether a file may have several names, which this system does not tell.
func hasLinks(fs.FileInfo) bool { return true }
