//go:build !(darwin || linux)

package worker

import "os"

// redirectStdout makes os.Stdout write to standard error, and returns the former standard output.
func redirectStdout() (*os.File, error) {
	f := os.Stdout
	os.Stdout = os.Stderr
	return f, nil
}
