//go:build !linux && !darwin

package output

import "errors"

// exchange is not supported on this system.
func exchange(int, string, string) error { return errors.ErrUnsupported }
