//go:build !(darwin || linux)

package worker

import "os"

// redirectStdout has what writes to os.Stdout write to standard error, and returns what it was.
func redirectStdout() (*os.File, error) {
	f := os.Stdout
	os.Stdout = os.Stderr
	return f, nil
}
