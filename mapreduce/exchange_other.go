//go:build !linux && !darwin

package mapreduce

import "errors"

// exchange would make two names change places in one step; this system cannot.
func exchange(string, string) error { return errors.ErrUnsupported }
