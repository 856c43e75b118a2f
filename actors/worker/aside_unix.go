//go:build darwin || linux

package worker

import (
	"io/fs"
	"os/exec"
	"strconv"
	"syscall"
)

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
