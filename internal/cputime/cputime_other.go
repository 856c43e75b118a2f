//go:build !unix

// Package cputime measures the processor time of this process. Unlike wall time, it does not grow
// when other processes keep the machine busy, so benchmarks and tests can compare it.
package cputime

import "time"

// Used returns 0: on this system the processor time is unknown.
func Used() time.Duration { return 0 }
