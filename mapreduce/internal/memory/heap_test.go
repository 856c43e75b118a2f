//go:build linux

package memory

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// LimitHeap sets the heap's limit to the total minus the mapped slabs, but never too low. end sets
// the process's former limit.
func TestLimitHeap(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	const total = 200 << 20
	end := LimitHeap(total)
	at := mapped.Load()
	require.EqualValues(t, total-at, limit())
	var p *Pool
	s := p.Get(64 << 20)
	require.EqualValues(t, total-at-64<<20, limit())
	more := p.Get(256 << 20) // never touched
	require.Positive(t, limit())
	require.Less(t, limit(), total-at-64<<20)
	p.Put(more)
	p.Put(s)
	require.EqualValues(t, total-at, limit())
	end()
	require.Equal(t, before, limit())
	p.Put(p.Get(64 << 20))
	require.Equal(t, before, limit())

	debug.SetMemoryLimit(total / 2)
	defer debug.SetMemoryLimit(before)
	LimitHeap(total)()
	require.EqualValues(t, total/2, limit(), "a lower limit stays")
}

// A GiB of garbage is collected only because of the limit, which holds the heap. The collector may
// lag for a moment where code only makes garbage, so the median size is compared.
func TestLimitHeapHolds(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const total = 96 << 20
	defer LimitHeap(total)()
	var p *Pool
	s := p.Get(32 << 20)
	defer p.Put(s)
	var had []uint64
	var keep [8][]byte // 8 MiB in use
	for i := range 1000 {
		keep[i%len(keep)] = make([]byte, 1<<20)
		if i%50 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			had = append(had, m.Sys-m.HeapReleased)
		}
	}
	slices.Sort(had)
	require.LessOrEqual(t, had[len(had)/2], uint64(3*total/2))
}

// A slab that exceeds the total takes the memory that the heap has and does not use.
func TestSlabTakesIdleHeap(t *testing.T) {
	const total = 192 << 20
	defer LimitHeap(total)()
	idle := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapIdle - m.HeapReleased
	}
	var p *Pool
	p.Put(p.Get(1 << 20))
	used := make([]byte, 64<<20)
	clear(used)
	runtime.KeepAlive(used)
	runtime.GC()
	require.Greater(t, idle(), uint64(32<<20))
	p.Put(p.Get(16 << 20))
	require.Greater(t, idle(), uint64(32<<20), "there is room for the slab")
	p.Put(p.Get(128 << 20))
	require.Less(t, idle(), uint64(minIdle))
}
