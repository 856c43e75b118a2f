package dfs

import (
	"sync"
	"sync/atomic"
)

// keepable is how many files of this process keep their descriptor while they are mapped:
// an eighth of what the system allows, for spills and outputs need some, too. A file that
// keeps it outlives its name.
var keepable = sync.OnceValue(func() int64 {
	const most, unknown = 1024, 256
	limit := descriptorLimit()
	if limit == 0 {
		limit = unknown
	}
	return int64(min(limit/8, most)) //nolint:gosec // at most 1024
})

var kept atomic.Int64

// mayKeep takes one of the descriptors that may be kept, which dropKept gives back.
func mayKeep() bool {
	if kept.Add(1) <= keepable() {
		return true
	}
	kept.Add(-1)
	return false
}

func dropKept() { kept.Add(-1) }
