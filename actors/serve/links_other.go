//go:build !unix

package serve

import "io/fs"

// hasLinks reports whether a file may have several names; this system does not say, so it returns
// true.
func hasLinks(fs.FileInfo) bool { return true }
