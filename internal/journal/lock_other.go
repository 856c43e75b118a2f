//go:build !windows

package journal

import (
	"os"

	"github.com/tarry-mr/tarry/internal/filelock"
)

// lockFile locks a file until it is closed, and reports false if another process holds it. It
// returns true where locks do not work, as on some network file systems: there, users must not open
// a journal twice.
func lockFile(f *os.File) bool {
	free, can := filelock.Lock(f, false)
	return free || !can
}
