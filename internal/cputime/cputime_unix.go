//go:build unix

// Package cputime tells how much processor time this process has used, so that a busy machine does
// not blur a benchmark.
package cputime

import (
	"syscall"
	"time"
)

// Used is the time that all processors together have spent for this process, in user code and in
// the system; 0 where it is not known.
func Used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
