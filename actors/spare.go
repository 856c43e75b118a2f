package actors

import (
	"sync"
	"weak"
)

// spare is memory that nobody writes to. Go collects garbage when the heap has doubled; that of a
// cluster is small, since its buffers lie outside, so that a map which makes a string for each line
// would have it collected a hundred times a second. With the spare it is when there are 16 MiB more.
// A WordCount of strings takes a tenth less time. Pages that are not written to are not there.
type spare [16 << 20]byte

// spareFrom is the least Config.Memory with which a cluster has a spare.
const spareFrom = 512 << 20

var spares struct {
	sync.Mutex
	last weak.Pointer[spare] // what the clusters of a process share
}

// newSpare returns the spare of a cluster with so much memory, 0 without limit; nil is none. It lasts
// for as long as a cluster holds it.
func newSpare(memory int64) *spare {
	if memory > 0 && memory < spareFrom {
		return nil
	}
	spares.Lock()
	defer spares.Unlock()
	s := spares.last.Value()
	if s == nil {
		s = new(spare)
		spares.last = weak.Make(s)
	}
	return s
}
