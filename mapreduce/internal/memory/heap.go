package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// mapped is how many bytes of slabs lie outside the Go heap now, those of all pools.
var mapped atomic.Int64

// Mapped returns that number. Tests use it to show that every slab went back.
func Mapped() int64 { return mapped.Load() }

// heap is how the Go heap is kept small, if at all.
var heap heapLimit

type heapLimit struct {
	on  atomic.Bool
	set atomic.Int64 // mapped when the limit was set last

	mu     sync.Mutex
	total  int64
	before int64 // the limit of the process
	live   int64 // what the last collection has left
	sample [1]metrics.Sample
}

const (
	// heapStep is by how much mapped changes until the limit does.
	heapStep = 1 << 20
	// leastHeap is what the heap may have beside a quarter more than is in use, however
	// little that leaves of the total: otherwise it would be collected all the time.
	leastHeap = 12 << 20
)

// LimitHeap has the Go runtime keep what it has within what mapped slabs leave of total
// bytes: by itself it collects a heap when it has doubled, and returns free memory after
// minutes. A lower limit that is set stays, and what is in use is given room. The returned
// function ends it. It is for programs, not for packages, since the limit is the process's;
// there can be one at a time.
func LimitHeap(total int64) (end func()) {
	heap.mu.Lock()
	defer heap.mu.Unlock()
	heap.total, heap.before, heap.live = total, debug.SetMemoryLimit(-1), 0
	heap.sample[0].Name = "/gc/heap/live:bytes"
	heap.on.Store(true)
	heap.apply()
	afterCollection()
	return func() {
		heap.mu.Lock()
		defer heap.mu.Unlock()
		heap.on.Store(false)
		debug.SetMemoryLimit(heap.before)
	}
}

// apply sets the limit. The caller holds mu.
func (h *heapLimit) apply() {
	h.set.Store(mapped.Load())
	limit := max(h.total-h.set.Load(), h.live+h.live/4+leastHeap)
	debug.SetMemoryLimit(min(limit, h.before))
}

// update sets the limit anew if there is one; collected says that a collection has ended.
func (h *heapLimit) update(collected bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.on.Load() {
		return
	}
	if collected {
		metrics.Read(h.sample[:])
		h.live = int64(h.sample[0].Value.Uint64()) //nolint:gosec // bytes of memory
	}
	h.apply()
}

// afterCollection updates the limit after each collection, as long as there is one.
func afterCollection() {
	var after func(*[16]byte)
	after = func(x *[16]byte) {
		if heap.on.Load() {
			heap.update(true)
			runtime.SetFinalizer(x, after)
		}
	}
	runtime.SetFinalizer(new([16]byte), after)
}

// count adds n bytes to what is mapped.
func count(n int64) {
	now := mapped.Add(n)
	if d := now - heap.set.Load(); heap.on.Load() && (d <= -heapStep || d >= heapStep) {
		heap.update(false)
	}
}
