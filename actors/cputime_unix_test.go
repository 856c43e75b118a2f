//go:build unix

package actors

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has used, so that a busy machine does not blur a benchmark.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
