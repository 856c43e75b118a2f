//go:build darwin || linux

package worker

import (
	"io/fs"
	"os"
	"os/exec"
	"strconv"
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

// ownGroup starts a command in a process group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// owner returns the name of the user that owns a file.
func owner(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "unknown"
	}
	return userName(strconv.Itoa(int(stat.Uid)))
}
