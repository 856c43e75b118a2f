//go:build unix

package dfs

import "golang.org/x/sys/unix"

// descriptorLimit returns how many descriptors this process may open, or 0 if unknown.
func descriptorLimit() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // its type depends on the system
}
