//go:build !linux && !darwin

package output

import (
	"errors"
	"os"
)

// exchange is not supported on this system.
func exchange(*os.File, string, string) error { return errors.ErrUnsupported }

// renameNew is not supported on this system.
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
