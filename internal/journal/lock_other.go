//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package journal

import "os"

// lockFile cannot lock on this system. Users must ensure that only one process uses a directory.
func lockFile(*os.File) bool { return true }
