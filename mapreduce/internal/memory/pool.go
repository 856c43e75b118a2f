package memory

import (
	"math/bits"
	"sync"
)

const (
	smallest = 12 // log2 of the smallest slab: 4 KiB
	classes  = 48 - smallest
	// offHeap is the minimum size of slabs that are mapped instead of allocated by Go.
	offHeap = 64 << 10
	// hugePage is the minimum size of memory in huge pages, if the system supports them.
	hugePage = 2 << 20
	// settled is the number of bytes that may be mapped, in use or idle, in any case, so that
	// successive small jobs can reuse their slabs.
	settled = 16 << 20
)

// Slab is a buffer from a [Pool], which must get it back by one [Pool.Put]. Bytes has the slab's
// whole capacity, with arbitrary content unless it is from GetZeroed. After Put it may be unmapped
// and must not be used.
type Slab struct {
	Bytes []byte
	class int
}

// Pool reuses large buffers: it keeps up to maxIdle bytes of unused slabs. Those and the slabs in
// use together never exceed the former maximum in use, or 16 MiB. A nil *Pool works too and keeps
// nothing. All methods are safe for concurrent use.
type Pool struct {
	mu        sync.Mutex
	idle      [classes][]Slab
	bytes     int64 // of idle slabs
	mapped    int64 // of mapped slabs, including idle ones
	maxMapped int64 // maximum of mapped so far
	maxIdle   int64
	budget    *Budget
}

// NewPool returns a pool that keeps at most maxIdle bytes of unused slabs (0 keeps none). They are
// charged to the root of budget, which frees them when an attempt needs memory; budget may be nil.
// Call NewPool before others use the budget.
func NewPool(budget *Budget, maxIdle int64) *Pool {
	p := &Pool{maxIdle: maxIdle}
	if budget != nil {
		p.budget = budget.base()
		p.budget.pool = p
	}
	return p
}

// SlabSize returns the capacity of a slab from Get(n): n rounded up to a power of two, at least 4
// KiB.
func SlabSize(n int) int { return 1 << (classOf(n) + smallest) }

// Get returns a slab of at least n bytes with arbitrary content. The caller must charge it to a
// budget.
func (p *Pool) Get(n int) Slab {
	s, _ := p.get(n)
	return s
}

// GetZeroed returns a slab of at least n bytes, all zero.
func (p *Pool) GetZeroed(n int) Slab {
	s, fresh := p.get(n)
	if !fresh {
		clear(s.Bytes)
	}
	return s
}

func (p *Pool) get(n int) (s Slab, fresh bool) {
	c := classOf(n)
	if p != nil {
		p.mu.Lock()
		if l := p.idle[c]; len(l) > 0 {
			s = l[len(l)-1]
			p.idle[c] = l[:len(l)-1]
			p.bytes -= int64(len(s.Bytes))
		}
		p.mu.Unlock()
		if s.Bytes != nil {
			p.budget.Release(int64(len(s.Bytes)))
			return s, false
		}
	}
	size := 1 << (c + smallest)
	if size < offHeap {
		return Slab{Bytes: make([]byte, size), class: c}, true
	}
	p.maps(int64(size))
	return Slab{Bytes: allocate(size), class: c}, true
}

// maps counts n bytes of a new slab. If all slabs would exceed the former maximum in use, it first
// frees idle ones.
func (p *Pool) maps(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.mapped += n
	over := p.mapped - max(p.maxMapped, settled)
	idle := p.bytes
	p.mu.Unlock()
	if over > 0 && idle > 0 {
		p.trim(over, classOf(offHeap))
	}
	p.mu.Lock()
	p.maxMapped = max(p.maxMapped, p.mapped)
	p.mu.Unlock()
}

// unmaps returns a slab to the system, if it is mapped, and stops counting it.
func (p *Pool) unmaps(s Slab) {
	if len(s.Bytes) < offHeap {
		return
	}
	if p != nil {
		p.mu.Lock()
		p.mapped -= int64(len(s.Bytes))
		p.mu.Unlock()
	}
	free(s.Bytes)
}

// Put gives a slab back, for reuse. It ignores the zero Slab.
func (p *Pool) Put(s Slab) {
	if s.Bytes == nil {
		return
	}
	if p == nil || !p.keep(s) {
		p.unmaps(s)
	}
}

// keep makes s an idle slab, if there is room for it without freeing others.
func (p *Pool) keep(s Slab) bool {
	n := int64(len(s.Bytes))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes+n > p.maxIdle {
		return false
	}
	ok, _ := p.budget.take(n)
	if ok {
		p.idle[s.class] = append(p.idle[s.class], s)
		p.bytes += n
	}
	return ok
}

// Outgrown is like Put, for a slab that a larger one replaces. It returns slabs of 2 MiB or more to
// the system: they would stay idle for the rest of a job, a quarter of what a WordCount maps. A new
// one costs no more than clearing a kept one.
func (p *Pool) Outgrown(s Slab) {
	if len(s.Bytes) < hugePage {
		p.Put(s)
		return
	}
	p.unmaps(s)
}

// Idle returns the bytes of slabs that wait for reuse.
func (p *Pool) Idle() int64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// Trim frees unused slabs, largest first, until at least n bytes are freed or none is left. It
// returns the number of bytes freed.
func (p *Pool) Trim(n int64) int64 {
	if p == nil {
		return 0
	}
	return p.trim(n, 0)
}

// trim is like Trim, but frees only slabs of size class least or larger.
func (p *Pool) trim(n int64, least int) int64 {
	var out []Slab
	var gone int64
	p.mu.Lock()
	for c := classes - 1; c >= least; c-- {
		for l := p.idle[c]; len(l) > 0 && gone < n; l = p.idle[c] {
			out = append(out, l[len(l)-1])
			gone += int64(len(l[len(l)-1].Bytes))
			p.idle[c] = l[:len(l)-1]
		}
	}
	p.bytes -= gone
	p.mu.Unlock()
	for _, s := range out {
		p.unmaps(s)
	}
	p.budget.Release(gone)
	return gone
}

// Close frees all unused slabs; the pool stays usable.
func (p *Pool) Close() { p.Trim(1 << 62) }

func classOf(n int) int {
	return max(0, bits.Len(uint(max(n, 1)-1))-smallest)
}
