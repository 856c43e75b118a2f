//go:build unix

// Package cputime measures the processor time of this process. Unlike wall time, it does not grow
// when other processes keep the machine busy, so benchmarks and tests can compare it.
package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time that this process has spent on all processors, in user code and
// in the kernel. It is 0 if the system does not report it.
func Used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
