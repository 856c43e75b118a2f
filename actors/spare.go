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

// A cluster has a spare from its first job on that reads so many bytes, since to have it collects
// garbage once, and with at least so much Config.Memory.
const (
	spareInput  = 32 << 20
	spareMemory = 512 << 20
)

var spares struct {
	sync.Mutex
	last weak.Pointer[spare] // what the clusters of a process share
}

// keepSpare sees that there is a spare if a job of so many bytes deserves one. It stays as long as
// the cluster does.
func (e *env) keepSpare(input int64) {
	if input < spareInput || 0 < e.cfg.Memory && e.cfg.Memory < spareMemory || e.spare.Load() != nil {
		return
	}
	spares.Lock()
	defer spares.Unlock()
	s := spares.last.Value()
	if s == nil {
		s = new(spare)
		spares.last = weak.Make(s)
	}
	e.spare.Store(s)
}
