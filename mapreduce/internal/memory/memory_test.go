package memory

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNilAndZeroNeverRefuse(t *testing.T) {
	var none *Budget
	for _, b := range []*Budget{none, none.Sub(), NewBudget(0), NewBudget(0).Sub(), NewBudget(-1)} {
		require.True(t, b.TryAcquire(1<<60))
		require.True(t, b.Keep(1<<60))
		b.ReleaseKept(1 << 60)
		b.Acquire(1)
		b.Release(1)
		b.Close()
		require.Zero(t, b.Used())
		require.Zero(t, b.Limit())
		require.Positive(t, b.Available())
	}
}

// TestBudgetEqualsSum compares concurrent use with plain sums.
func TestBudgetEqualsSum(t *testing.T) {
	root := NewBudget(1 << 20)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			b := root.Sub()
			defer b.Close()
			var held []int64
			for i := range 2000 {
				n := int64(i%97) * 100
				if b.TryAcquire(n) {
					held = append(held, n)
				}
				if len(held) > 50 {
					for _, n := range held {
						b.Release(n)
					}
					held = held[:0]
				}
			}
			for _, n := range held {
				b.Release(n)
			}
		})
	}
	wg.Wait()
	require.Zero(t, root.Used())
	require.LessOrEqual(t, root.Peak(), int64(1<<20))
}

func TestPoolReusesUpToItsBound(t *testing.T) {
	for _, n := range []int{1, 4096, 4097, 300 << 10, 3 << 20} {
		size := int64(SlabSize(n))
		p := NewPool(nil, size)
		a, b := p.Get(n), p.Get(n)
		require.GreaterOrEqual(t, len(a.Bytes), n)
		require.Len(t, a.Bytes, SlabSize(n))
		for i := range a.Bytes {
			a.Bytes[i], b.Bytes[i] = 1, 2
		}
		p.Put(a)
		p.Put(b)
		require.Equal(t, size, p.Idle(), "one kept, one gone")
		c := p.GetZeroed(n)
		require.Same(t, &a.Bytes[0], &c.Bytes[0])
		require.NotContains(t, c.Bytes, byte(1))
		require.Zero(t, p.Idle())
		p.Put(c)
		require.Equal(t, size, p.Trim(1))
		p.Close()
	}
}

func TestIdleSlabsYieldToAttempts(t *testing.T) {
	root := NewBudget(10 << 20)
	p := NewPool(root, 8<<20)
	p.Put(p.Get(4 << 20))
	p.Put(p.Get(1 << 20))
	require.EqualValues(t, 5<<20, root.Used())
	a := root.Sub()
	require.EqualValues(t, 10<<20, a.Available())
	require.True(t, a.TryAcquire(9<<20))
	require.EqualValues(t, 1<<20, p.Idle())
	p.Put(p.Get(2 << 20))
	require.EqualValues(t, 1<<20, p.Idle(), "no room to idle in")
	p.Close()
	a.Release(9 << 20)
	require.Zero(t, root.Used())
}

// If new slabs are needed, a pool unmaps idle ones, so that these do not raise the maximum.
func TestIdleSlabsDoNotRaiseThePeak(t *testing.T) {
	p := NewPool(nil, 1<<30)
	table, other := p.Get(32<<20), p.Get(32<<20)
	p.Put(table)
	p.Put(other)
	require.EqualValues(t, 64<<20, p.Idle(), "as much was in use")
	small := p.Get(64 << 10)
	require.EqualValues(t, 32<<20, p.Idle())
	require.EqualValues(t, 64<<20, p.maxMapped)
	require.EqualValues(t, 32<<20+64<<10, p.mapped)
	again := p.Get(32 << 20)
	require.Zero(t, p.Idle(), "reused")
	big := p.Get(128 << 20)
	require.EqualValues(t, 160<<20+64<<10, p.maxMapped)
	for _, s := range []Slab{small, again, big} {
		p.Put(s)
	}
	require.EqualValues(t, 160<<20+64<<10, p.Idle())
	p.Close()
	require.Zero(t, p.mapped)

	p = NewPool(nil, 1<<30)
	p.Put(p.Get(4 << 20))
	p.Put(p.Get(8 << 20))
	require.EqualValues(t, 12<<20, p.Idle(), "a little may idle")
	p.Outgrown(p.Get(8 << 20))
	p.Outgrown(p.Get(1 << 20))
	require.EqualValues(t, 5<<20, p.Idle(), "large ones that were outgrown do not")
	p.Close()
	require.Zero(t, p.mapped)
}

func TestNilPoolWorks(t *testing.T) {
	var p *Pool
	s := p.GetZeroed(1 << 20)
	require.Len(t, s.Bytes, 1<<20)
	p.Put(s)
	p.Put(Slab{})
	require.Zero(t, p.Idle())
	require.Zero(t, p.Trim(1))
}

func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := make([]byte, 64)
		i := rapid.IntRange(0, 64).Draw(t, "i")
		j := rapid.IntRange(i, 64).Draw(t, "j")
		chunk := all[16:48]
		at, ok := Within(chunk, all[i:j])
		require.Equal(t, i < j && i >= 16 && j <= 48, ok)
		if ok {
			require.Equal(t, i-16, at)
		}
	})
	require.Len(t, Cast[uint64](make([]byte, 31)), 3)
	require.Empty(t, Cast[uint64](make([]byte, 7)))
}

// AppendShort returns what append does, at any position of the bytes in a page and with any
// capacity after them.
func TestAppendShortIsAppend(t *testing.T) {
	page := make([]byte, 2*pageSize)
	for i := range page {
		page[i] = byte(i*7 + i>>8)
	}
	for start := pageSize - 40; start < pageSize+8; start++ {
		for n := range 35 {
			for _, room := range []int{0, 1, n, 15, 16, 17, 64} {
				dst := append(make([]byte, 0, 3+room), "abc"...)
				b := page[start : start+n]
				require.Equal(t, append(bytes.Clone(dst), b...), AppendShort(dst, b))
				require.Equal(t, "abc", string(dst))
			}
		}
	}
	require.Nil(t, AppendShort(nil, nil))
	require.Equal(t, []byte{1}, AppendShort(nil, []byte{1}))
}
