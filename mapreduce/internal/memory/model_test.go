package memory

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shares is a model of a budget with sub-budgets, in plain sums.
type shares struct {
	limit, kept, fixed int64
	used               []int64 // of each sub-budget
	resting, closed    []bool
}

func (s *shares) total() int64 {
	n := s.kept + s.fixed
	for _, u := range s.used {
		n += u
	}
	return n
}

// room returns how many bytes sub-budget i can still reserve in the model.
func (s *shares) room(i int) int64 {
	if s.limit == 0 {
		return 1 << 62
	}
	live := int64(0)
	for k := range s.used {
		if !s.resting[k] && !s.closed[k] {
			live++
		}
	}
	return min(s.limit-s.total(), (s.limit-s.kept-s.fixed)/max(live, 1)-s.used[i])
}

// A budget with three sub-budgets does what its model does, for random calls.
func TestBudgetIsPlainSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &shares{
			limit: rapid.SampledFrom([]int64{0, 1, 99, 1000}).Draw(t, "limit"),
			used:  make([]int64, 3), resting: make([]bool, 3), closed: make([]bool, 3),
		}
		root := NewBudget(m.limit)
		subs := []*Budget{root.Sub(), root.Sub()}
		subs = append(subs, subs[0].Sub()) // of the root, too
		var peak int64
		peaks := make([]int64, 3)
		bytes := rapid.Int64Range(0, 500)
		sub := func(t *rapid.T) int { return rapid.IntRange(0, 2).Draw(t, "sub") }
		t.Repeat(map[string]func(*rapid.T){
			"try": func(t *rapid.T) {
				i, n := sub(t), bytes.Draw(t, "n")
				fits := n <= m.room(i)
				require.Equal(t, fits, subs[i].TryAcquire(n))
				if fits {
					m.used[i] += n
				}
			},
			"acquire": func(t *rapid.T) {
				i, n := sub(t), bytes.Draw(t, "n")
				subs[i].Acquire(n)
				m.used[i] += n
			},
			"release": func(t *rapid.T) {
				i := sub(t)
				n := rapid.Int64Range(0, m.used[i]).Draw(t, "n")
				subs[i].Release(n)
				m.used[i] -= n
			},
			"keep": func(t *rapid.T) {
				i := sub(t)
				n := rapid.Int64Range(0, m.used[i]).Draw(t, "n")
				may := m.limit == 0 || m.kept+m.fixed+n <= m.limit/2
				require.Equal(t, may, subs[i].Keep(n))
				if may {
					m.used[i], m.kept = m.used[i]-n, m.kept+n
				}
			},
			"release kept": func(t *rapid.T) {
				n := rapid.Int64Range(0, m.kept).Draw(t, "n")
				subs[sub(t)].ReleaseKept(n)
				m.kept -= n
			},
			"fix": func(t *rapid.T) {
				n := rapid.Int64Range(-m.fixed, 300).Draw(t, "n")
				root.Fix(n)
				m.fixed += n
			},
			"rest": func(t *rapid.T) {
				i := sub(t)
				subs[i].Rest()
				m.resting[i] = m.resting[i] || !m.closed[i]
			},
			"wake": func(t *rapid.T) {
				i := sub(t)
				subs[i].Wake()
				m.resting[i] = m.resting[i] && m.closed[i]
			},
			"close": func(t *rapid.T) {
				i := sub(t)
				subs[i].Close()
				m.closed[i] = true
			},
			"": func(t *rapid.T) {
				peak = max(peak, m.total())
				require.Equal(t, m.total(), root.Used())
				require.Equal(t, peak, root.Peak())
				for i, b := range subs {
					peaks[i] = max(peaks[i], m.used[i])
					require.Equal(t, m.used[i], b.Used())
					require.Equal(t, peaks[i], b.Peak())
					require.Equal(t, max(0, m.room(i)), b.Available())
					require.Equal(t, m.limit, b.Limit())
				}
			},
		})
	})
}

// A root budget can reserve all that its limit leaves, and ignores Close, Rest and Wake.
func TestRootHasNoShare(t *testing.T) {
	root := NewBudget(100)
	root.Sub()
	root.Sub()
	root.Close()
	root.Rest()
	root.Wake()
	require.EqualValues(t, 100, root.Available())
	require.True(t, root.TryAcquire(100))
	require.False(t, root.TryAcquire(1))
	require.True(t, root.Keep(100))
	require.EqualValues(t, 100, root.Used())
	root.ReleaseKept(100)
	require.Zero(t, root.Used())
}

// Largest returns a quarter of the limit, from 16 MiB to 1 GiB; a refusal says why.
func TestLargest(t *testing.T) {
	for limit, want := range map[int64]int64{
		0: 1 << 30, 1: 16 << 20, 64 << 20: 16 << 20, 64<<20 + 4: 16<<20 + 1, 4 << 30: 1 << 30, 4<<30 + 4: 1 << 30,
	} {
		b := NewBudget(limit).Sub()
		require.Equal(t, want, b.Largest(), "limit %d", limit)
		why := "the most that is held in memory"
		if want == limit/4 {
			why = "a quarter of the memory budget"
		}
		require.Equal(t, why, b.WhyLargest(want))
		require.NoError(t, b.CheckHeld("a key", want, want))
		err := b.CheckHeld("a key", want+1, want)
		require.ErrorIs(t, err, ErrRecordTooLarge)
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, "a key of ")
	}
}

// A sign of life counts only if Ask was called since the last one. Sign on nil does nothing.
func TestSignsOfLife(t *testing.T) {
	var none *Liveness
	none.Sign()
	var l Liveness
	l.Sign()
	require.EqualValues(t, 0, l.Ask())
	require.EqualValues(t, 0, l.Ask(), "nothing since")
	l.Sign()
	l.Sign()
	require.EqualValues(t, 1, l.Ask())
	var nobody *Budget
	nobody.Show(&l)
	require.Nil(t, nobody.Liveness())
	b := NewBudget(0).Sub()
	require.Nil(t, b.Liveness())
	b.Show(&l)
	require.Same(t, &l, b.Liveness())
}

// Large slabs are mapped outside the heap, and counted in mapped until they are unmapped.
func TestSlabsAreCounted(t *testing.T) {
	at := mapped.Load()
	p := NewPool(nil, 1<<20)
	small, large := p.Get(4<<10), p.Get(1<<20)
	require.Equal(t, at+1<<20, mapped.Load(), "small ones lie in the heap")
	other := p.Get(1 << 20)
	p.Put(small)
	p.Put(large)
	p.Put(other)
	require.Equal(t, int64(4<<10), p.Idle(), "both large ones are too much beside the small one")
	require.Equal(t, at, mapped.Load())
	p.Close()
	require.Zero(t, p.Idle())
}

// Trim unmaps the largest idle slabs first, and no more than it must.
func TestTrimming(t *testing.T) {
	root := NewBudget(100 << 20)
	p := NewPool(root, 100<<20)
	var list []Slab
	for _, n := range []int{1 << 20, 2 << 20, 4 << 20, 2 << 20} {
		list = append(list, p.Get(n))
	}
	for _, s := range list {
		p.Put(s)
	}
	require.EqualValues(t, 9<<20, p.Idle())
	require.EqualValues(t, 4<<20, p.Trim(3<<20))
	require.EqualValues(t, 5<<20, p.Idle())
	require.EqualValues(t, 5<<20, root.Used())
	require.EqualValues(t, 4<<20, p.Trim(2<<20+1))
	require.EqualValues(t, 0, p.Trim(0))
	require.EqualValues(t, 1<<20, p.Trim(1<<40))
	require.Zero(t, root.Used())
}
