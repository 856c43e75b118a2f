package worker

import (
	"os/exec"
	"syscall"
)

// endWithUs has the system kill a worker when this process is gone, however that ends.
func endWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
