package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// mapped is the number of slab bytes outside the Go heap, in all pools of the process.
var mapped atomic.Int64

// Mapped returns the slab bytes outside the Go heap, in all pools. Tests use it to show that every
// slab was returned.
func Mapped() int64 { return mapped.Load() }

// heap is the state of LimitHeap; a process has one Go heap.
var heap = heapLimit{sample: [...]metrics.Sample{
	{Name: "/gc/heap/live:bytes"},
	{Name: "/memory/classes/total:bytes"},
	{Name: "/memory/classes/heap/released:bytes"},
	{Name: "/memory/classes/heap/free:bytes"},
}}

type heapLimit struct {
	on  atomic.Bool
	set atomic.Int64 // value of mapped when the limit was last set

	mu     sync.Mutex
	total  int64
	before int64 // the process's former limit
	live   int64 // live bytes after the last collection
	sample [4]metrics.Sample
}

const (
	// heapStep is the change of mapped after which the limit is updated.
	heapStep = 1 << 20
	// minHeap is the minimum room for the heap, beyond 1.25 times the live bytes, whatever total
	// leaves: with less the collector would run all the time.
	minHeap = 12 << 20
	// minIdle is the least idle memory of the heap whose return to the system is worth a
	// collection.
	minIdle = 4 << 20
)

// LimitHeap makes the garbage collector keep the Go heap within total bytes minus mapped slabs. By
// default a heap doubles before it is collected. A lower existing limit stays, and live data always
// has room. Slabs take the memory that the heap holds and does not use. The returned function
// removes the limit. Only programs should call it, not packages, since the limit applies to the
// process; only one may exist at a time.
func LimitHeap(total int64) (end func()) {
	heap.mu.Lock()
	defer heap.mu.Unlock()
	heap.total, heap.before, heap.live = total, debug.SetMemoryLimit(-1), 0
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

// apply tells the Go runtime the limit for the current number of mapped bytes. The caller holds mu.
func (h *heapLimit) apply() {
	h.set.Store(mapped.Load())
	limit := max(h.total-h.set.Load(), h.live+h.live/4+minHeap)
	debug.SetMemoryLimit(min(limit, h.before))
}

// read returns the live bytes after the last collection, the bytes that the Go runtime holds, and
// those of them that are idle. The caller holds mu.
func (h *heapLimit) read() (live, held, idle int64) {
	metrics.Read(h.sample[:])
	var n [len(h.sample)]int64
	for i, x := range h.sample {
		n[i] = int64(x.Value.Uint64()) //nolint:gosec // bytes of memory
	}
	return n[0], n[1] - n[2], n[3]
}

// update calls apply if there is a limit; collected says that a garbage collection has just ended.
func (h *heapLimit) update(collected bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.on.Load() {
		return
	}
	live, held, idle := h.read()
	if collected {
		h.live = live
	}
	h.apply()
	excess := held + h.set.Load() - h.total
	if !collected && excess > 0 && idle > max(excess, minIdle) {
		debug.FreeOSMemory() // only its own growth makes the runtime return idle memory at once
	}
}

// afterCollection makes every garbage collection call update, while there is a limit.
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

// count adds n bytes to mapped, and updates the heap limit after larger changes.
func count(n int64) {
	now := mapped.Add(n)
	if d := now - heap.set.Load(); heap.on.Load() && (d <= -heapStep || d >= heapStep) {
		heap.update(false)
	}
}
