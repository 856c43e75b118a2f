//go:build darwin || linux

package worker

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// redirectStdout makes standard output what standard error is, for this process and whoever it starts,
// and returns what it was.
func redirectStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, syscall.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := dup(2, 1); err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	return os.NewFile(uintptr(fd), "frames"), nil
}
