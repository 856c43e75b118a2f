//go:build !linux && !darwin

package output

import (
	"errors"
	"os"
)

const swap, free = 0, 0

// renameAs is not supported on this system.
func renameAs(uint, *os.File, string, string) error { return errors.ErrUnsupported }
