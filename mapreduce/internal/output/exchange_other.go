//go:build !linux && !darwin

package output

import "errors"

const swap, free = 0, 0

// renameAs is not supported on this system.
func renameAs(uint, int, string, string) error { return errors.ErrUnsupported }
