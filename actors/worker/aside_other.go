//go:build !(darwin || linux)

package worker

import (
	"io/fs"
	"os/exec"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// owner returns "unknown": on this system files have no numeric owner.
func owner(fs.FileInfo) string { return "unknown" }
