package memory

import "sync"

// Budget counts bytes in use against a limit. It only counts: taking bytes from
// it allocates nothing. A nil *Budget and one with limit 0 never refuse.
//
// A budget made by [NewBudget] is a root. [Budget.Sub] makes sub-budgets, one an
// attempt, which may each hold at most an equal share of what the root has left
// beside kept bytes, so that one greedy attempt cannot starve its neighbors.
//
// All methods are safe for concurrent use.
type Budget struct {
	root   *Budget // nil for a root itself
	limit  int64
	mu     sync.Mutex // of the root; guards every field below, in subs too
	used   int64
	peak   int64
	kept   int64
	subs   int64
	closed bool
	rests  bool
	pool   *Pool // set before the budget is shared
	life   *Life // likewise; of the attempt whose sub-budget this is
}

// NewBudget returns a root budget of limit bytes; 0 or less means no limit.
func NewBudget(limit int64) *Budget { return &Budget{limit: max(limit, 0)} }

// Sub returns a sub-budget that counts as live until [Budget.Close]. A sub of a
// sub is a sub of the root. A nil budget returns nil.
func (b *Budget) Sub() *Budget {
	if b == nil {
		return nil
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subs++
	return &Budget{root: r}
}

// Close ends a sub-budget: its share goes to its siblings. Bytes still in use
// stay charged until they are released. Closing twice, or a root, does nothing.
func (b *Budget) Close() {
	if b == nil || b.root == nil {
		return
	}
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	if !b.closed {
		b.closed = true
		if !b.rests {
			b.root.subs--
		}
	}
}

// Rest gives the share of a sub-budget to its siblings until Wake, while its attempt waits
// and takes nothing. Bytes in use stay charged. Resting twice, or a root, does nothing.
func (b *Budget) Rest() { b.rest(true) }

// Wake ends Rest.
func (b *Budget) Wake() { b.rest(false) }

func (b *Budget) rest(rests bool) {
	if b == nil || b.root == nil {
		return
	}
	b.root.mu.Lock()
	defer b.root.mu.Unlock()
	if b.closed || b.rests == rests {
		return
	}
	b.rests = rests
	if rests {
		b.root.subs--
	} else {
		b.root.subs++
	}
}

// TryAcquire takes n bytes and reports whether they fitted: into the limit, and
// for a sub-budget into its fair share. Idle slabs of the pool are given up
// first.
func (b *Budget) TryAcquire(n int64) bool {
	if b == nil {
		return true
	}
	r := b.base()
	ok, lack := b.take(n)
	if lack > 0 && r.pool.Idle() >= lack {
		r.pool.Trim(lack)
		ok, _ = b.take(n)
	}
	return ok
}

// take is one try of TryAcquire. lack is how many bytes the root is short of if
// nothing else stands in the way.
func (b *Budget) take(n int64) (ok bool, lack int64) {
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	if ok = n <= b.room(); ok {
		b.charge(n)
	} else if n <= b.share() {
		lack = n - (r.limit - r.used)
	}
	return ok, lack
}

// Acquire takes n bytes even if that exceeds the limit: for the small buffers
// without which an attempt could not go on (a spill writer, one record).
func (b *Budget) Acquire(n int64) {
	if b == nil {
		return
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	b.charge(n)
}

// Release gives back n bytes taken with TryAcquire or Acquire on b.
func (b *Budget) Release(n int64) {
	if b == nil {
		return
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	b.charge(-n)
}

// Keep turns n bytes of sub-budget b into kept bytes of its root, as the output
// of an attempt that has ended, and reports whether they may stay in memory:
// kept bytes take at most half the limit, the rest is for attempts at work. If
// it returns false nothing has changed. On nil, a root or without a limit it
// always succeeds.
func (b *Budget) Keep(n int64) bool {
	if b == nil || b.root == nil {
		return true
	}
	r := b.root
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limit > 0 && r.kept+n > r.limit/2 {
		return false
	}
	b.used -= n
	r.kept += n
	return true
}

// ReleaseKept gives back n bytes that Keep of b granted.
func (b *Budget) ReleaseKept(n int64) {
	if b == nil {
		return
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
	if b.root != nil {
		r.kept -= n
	}
}

// TryKeep takes n kept bytes of the root for what makes later work quicker and can be done without, and
// reports whether they fitted: with them kept bytes take at most a quarter of the limit, half of what
// they may. ReleaseKept gives them back.
func (b *Budget) TryKeep(n int64) bool {
	if b == nil {
		return true
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limit > 0 && (r.kept+n > r.limit/4 || r.used+n > r.limit) {
		return false
	}
	r.used += n
	r.peak = max(r.peak, r.used)
	if b.root != nil {
		r.kept += n
	}
	return true
}

// Fix takes n bytes of the root, or gives back -n, that no attempt can free: like kept
// bytes they leave less to share, and less to keep.
func (b *Budget) Fix(n int64) {
	if b == nil {
		return
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept += n
	r.used += n
	r.peak = max(r.peak, r.used)
}

// Used returns the bytes in use now: of this sub-budget, or of a root with all
// its sub-budgets and kept bytes.
func (b *Budget) Used() int64 { return b.read(func() int64 { return b.used }) }

// Peak returns the most bytes that were ever in use at once.
func (b *Budget) Peak() int64 { return b.read(func() int64 { return b.peak }) }

// Available returns how many bytes TryAcquire would grant now; a budget without
// limit returns a very large number.
func (b *Budget) Available() int64 {
	if b == nil || b.base().limit == 0 {
		return 1 << 62
	}
	idle := b.base().pool.Idle()
	return b.read(func() int64 {
		r := b.base()
		return max(0, min(r.limit-r.used+idle, b.share()))
	})
}

// Limit returns the limit of the root in bytes; 0 means none.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.base().limit
}

func (b *Budget) read(f func() int64) int64 {
	if b == nil {
		return 0
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	return f()
}

func (b *Budget) base() *Budget {
	if b.root != nil {
		return b.root
	}
	return b
}

// room is what b may still take; the root's lock is held.
func (b *Budget) room() int64 {
	r := b.base()
	if r.limit == 0 {
		return 1 << 62
	}
	return min(r.limit-r.used, b.share())
}

// share is what a sub-budget's fair share still has.
func (b *Budget) share() int64 {
	r := b.base()
	if r.limit == 0 || b.root == nil {
		return 1 << 62
	}
	return (r.limit-r.kept)/max(r.subs, 1) - b.used
}

func (b *Budget) charge(n int64) {
	for _, x := range []*Budget{b, b.root} {
		if x != nil {
			x.used += n
			x.peak = max(x.peak, x.used)
		}
	}
}

// tryAcquireIdle is TryAcquire for the pool itself: it never trims the pool.
func (b *Budget) tryAcquireIdle(n int64) bool {
	if b == nil {
		return true
	}
	ok, _ := b.take(n)
	return ok
}
