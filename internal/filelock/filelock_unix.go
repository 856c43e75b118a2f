//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Lock locks a file or directory until f is closed. If another process holds the lock, Lock waits
// for it or, without wait, returns free = false. It returns can = false if locks do not work: some
// network file systems have none for directories.
func Lock(f *os.File, wait bool) (free, can bool) {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err == nil, err == nil || errors.Is(err, syscall.EWOULDBLOCK)
		}
	}
}

// OwnedByUs reports whether a file belongs to the user of this process.
func OwnedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
