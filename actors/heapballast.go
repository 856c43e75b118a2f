package actors

import (
	"sync"
	"weak"
)

// heapBallast is memory that delays garbage collections. Go collects garbage when the heap has doubled;
// that of a cluster is small, since its buffers lie outside, so that a map which makes a string for
// each line would have it collected a hundred times a second. With the ballast Go collects it when the
// heap has grown by 16 MiB. A WordCount of strings takes a tenth less time. Nobody writes to the
// ballast, so the system gives it no pages.
type heapBallast [16 << 20]byte

// A cluster has the ballast from its first job on that reads at least ballastInput bytes, since
// allocating it collects garbage once, and with at least ballastMemory of Config.Memory.
const (
	ballastInput  = 32 << 20
	ballastMemory = 512 << 20
)

var sharedBallast struct {
	sync.Mutex
	last weak.Pointer[heapBallast] // what the clusters of a process share
}

// keepHeapBallast allocates the ballast if a job of input bytes is worth it. It stays as long as the
// cluster does.
func (e *env) keepHeapBallast(input int64) {
	if input < ballastInput || 0 < e.cfg.Memory && e.cfg.Memory < ballastMemory || e.ballast.Load() != nil {
		return
	}
	sharedBallast.Lock()
	defer sharedBallast.Unlock()
	s := sharedBallast.last.Value()
	if s == nil {
		s = new(heapBallast)
		sharedBallast.last = weak.Make(s)
	}
	e.ballast.Store(s)
}
