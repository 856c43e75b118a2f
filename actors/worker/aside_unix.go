//go:build darwin || linux

package worker

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// redirectStdout redirects standard output to standard error, for this process and the processes
// that it starts, and returns the former standard output.
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
