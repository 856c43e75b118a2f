//go:build unix

package dfs

import "golang.org/x/sys/unix"

// descriptorLimit is how many descriptors this process may have, 0 if nobody knows.
func descriptorLimit() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // its type depends on the system
}
