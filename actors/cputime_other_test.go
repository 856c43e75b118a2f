//go:build !unix

package actors

import "time"

// cpuTime is not known here; benchmarks fall back on the clock.
func cpuTime() time.Duration { return 0 }
