package worker

import (
	"os/exec"
	"syscall"
)

// endWithUs makes the kernel kill the worker when this process exits.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
