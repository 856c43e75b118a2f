package dfs

import (
	"sync"
	"sync/atomic"
)

// keepable returns how many mapped files may keep a descriptor open: an eighth of the process's
// limit, since spills and outputs need descriptors too. With a descriptor, a file stays readable
// after its name is removed.
var keepable = sync.OnceValue(func() int64 {
	const most, unknown = 1024, 256
	limit := descriptorLimit()
	if limit == 0 {
		limit = unknown
	}
	return int64(min(limit/8, most)) //nolint:gosec // at most 1024
})

var kept atomic.Int64

// mayKeep reserves a descriptor for a mapped file and reports whether it could; dropKept frees it.
func mayKeep() bool {
	if kept.Add(1) <= keepable() {
		return true
	}
	kept.Add(-1)
	return false
}

func dropKept() { kept.Add(-1) }
