//go:build !(darwin || linux)

package worker

import "os"

// turnAside has what writes to os.Stdout write to standard error, and returns what it was.
func turnAside() (*os.File, error) {
	f := os.Stdout
	os.Stdout = os.Stderr
	return f, nil
}
