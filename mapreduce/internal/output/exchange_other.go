//go:build !linux && !darwin

package output

import (
	"errors"
	"os"
)

// exchange would make two names change places in one step; this system cannot.
func exchange(*os.File, string, string) error { return errors.ErrUnsupported }

// renameNew would rename a to b unless there is something; this system cannot.
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
