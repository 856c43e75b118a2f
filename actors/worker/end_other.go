//go:build !linux

package worker

import "os/exec"

// killWithParent does nothing: this system cannot kill a worker when this process exits. A map then
// fails at its next write, since its reader has exited; a reduce runs to its end.
func killWithParent(*exec.Cmd) {}
