package worker

import (
	"os/exec"
	"syscall"
)

// killWithParent makes the kernel kill the worker when this process exits.
func killWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
