package memory

import (
	"math/bits"
	"sync"
)

const (
	smallest = 12 // log2 of the smallest slab: 4 KiB
	classes  = 48 - smallest
	// offHeap is the size from which slabs are mapped instead of made.
	offHeap = 64 << 10
	// hugePage is the size from which memory comes in huge pages, where the system has them.
	hugePage = 2 << 20
	// settled is how much may be mapped, in use or idle, whatever was before: small jobs one after the
	// other are to find what they gave back.
	settled = 16 << 20
)

// Slab is a buffer from a [Pool]. Bytes has the slab's whole capacity; its
// content is arbitrary unless the slab was taken with GetZeroed. A Slab must go
// back by [Pool.Put] exactly once, and its bytes must not be used afterwards:
// they may be unmapped.
type Slab struct {
	Bytes []byte
	class int
}

// Pool keeps idle slabs for reuse, at most as many bytes as its bound, and never so many that with
// those in use they were more than were ever in use at once, or 16 MiB. A nil *Pool works too and keeps
// nothing. All methods are safe for concurrent use.
type Pool struct {
	mu      sync.Mutex
	idle    [classes][]Slab
	bytes   int64 // of idle slabs
	mapped  int64 // of slabs that are mapped, idle ones too
	most    int64 // of mapped slabs, so far
	maxIdle int64
	budget  *Budget
}

// NewPool returns a pool that keeps at most maxIdle bytes of idle slabs (0 keeps
// none). Idle bytes are charged to the root of budget, which takes them back
// when an attempt needs them; budget may be nil. To be called before the budget
// is used by others.
func NewPool(budget *Budget, maxIdle int64) *Pool {
	p := &Pool{maxIdle: maxIdle}
	if budget != nil {
		p.budget = budget.base()
		p.budget.pool = p
	}
	return p
}

// SlabSize returns the capacity of the slab that Get(n) returns: n rounded up to
// a power of two, at least 4 KiB.
func SlabSize(n int) int { return 1 << (classOf(n) + smallest) }

// Get returns a slab of at least n bytes with arbitrary content. Charging it to
// a budget is the caller's business.
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

// maps notes a new slab of n bytes. Idle ones give way to it before more is mapped than ever before.
func (p *Pool) maps(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.mapped += n
	over := p.mapped - max(p.most, settled)
	idle := p.bytes
	p.mu.Unlock()
	if over > 0 && idle > 0 {
		p.trim(over, classOf(offHeap))
	}
	p.mu.Lock()
	p.most = max(p.most, p.mapped)
	p.mu.Unlock()
}

// unmaps gives a slab back to the system.
func (p *Pool) unmaps(s Slab) {
	if p != nil && len(s.Bytes) >= offHeap {
		p.mu.Lock()
		p.mapped -= int64(len(s.Bytes))
		p.mu.Unlock()
	}
	discard(s)
}

// Put gives a slab back. The zero Slab is ignored.
func (p *Pool) Put(s Slab) {
	if s.Bytes == nil {
		return
	}
	n := int64(len(s.Bytes))
	if p != nil && p.room(n) && p.budget.tryAcquireIdle(n) {
		p.mu.Lock()
		p.idle[s.class] = append(p.idle[s.class], s)
		p.bytes += n
		p.mu.Unlock()
		return
	}
	p.unmaps(s)
}

// Outgrown is Put of a slab that a larger one has taken the place of, as will that of others like it:
// from 2 MiB on it goes back to the system. Such slabs would lie idle for the rest of a job, a quarter
// of what a WordCount maps; a new one costs no more than to clear one that is kept.
func (p *Pool) Outgrown(s Slab) {
	if len(s.Bytes) < hugePage {
		p.Put(s)
		return
	}
	p.unmaps(s)
}

func (p *Pool) room(n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes+n <= p.maxIdle
}

// Idle returns the bytes of idle slabs.
func (p *Pool) Idle() int64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// Trim returns idle slabs to the system, largest first, until at least n bytes
// are gone or none is left, and returns how many bytes went.
func (p *Pool) Trim(n int64) int64 {
	if p == nil {
		return 0
	}
	return p.trim(n, 0)
}

// trim is Trim of slabs from a class on.
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

// Close returns all idle slabs; the pool can be used on.
func (p *Pool) Close() { p.Trim(1 << 62) }

func discard(s Slab) {
	if len(s.Bytes) >= offHeap {
		free(s.Bytes)
	}
}

func classOf(n int) int {
	return max(0, bits.Len(uint(max(n, 1)-1))-smallest)
}
