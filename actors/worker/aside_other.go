//go:build !(darwin || linux)

package worker

import (
	"io/fs"
	"os"
	"os/exec"
)

// redirectStdout makes os.Stdout write to standard error, and returns the former standard output.
func redirectStdout() (*os.File, error) {
	f := os.Stdout
	os.Stdout = os.Stderr
	return f, nil
}

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

// owner returns "unknown": on this system files have no numeric owner.
func owner(fs.FileInfo) string { return "unknown" }
