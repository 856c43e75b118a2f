package memory

import "sync"

// Budget counts bytes in use against a limit, so that callers know when to spill. It allocates
// nothing. A nil *Budget and one with limit 0 never refuse.
//
// [NewBudget] makes a root budget. [Budget.Sub] makes a sub-budget for an attempt. Bytes of
// finished attempts' output are called kept. Sub-budgets get equal shares of the limit minus kept
// bytes, so that no attempt starves the others.
//
// All methods are safe for concurrent use.
type Budget struct {
	root   *Budget // nil for a root
	limit  int64
	mu     sync.Mutex // of the root; guards all fields below, in sub-budgets too
	used   int64
	peak   int64
	kept   int64
	subs   int64
	closed bool
	rests  bool
	pool   *Pool     // set before the budget is shared
	life   *Liveness // likewise; for the attempt to Sign
}

// NewBudget returns a root budget of limit bytes; 0 or less means no limit.
func NewBudget(limit int64) *Budget { return &Budget{limit: max(limit, 0)} }

// Sub returns a new sub-budget of b's root, for one attempt. It takes a share of the limit until
// [Budget.Close]. A nil budget returns nil.
func (b *Budget) Sub() *Budget {
	if b == nil {
		return nil
	}
	b.locked(func(r *Budget) { r.subs++ })
	return &Budget{root: b.base()}
}

// locked calls f with the root of b and its mutex, unless b is nil.
func (b *Budget) locked(f func(root *Budget)) {
	if b == nil {
		return
	}
	r := b.base()
	r.mu.Lock()
	defer r.mu.Unlock()
	f(r)
}

// Close ends a sub-budget: its share goes to the others. Bytes in use stay charged until they are
// released. A second Close, or closing a root, does nothing.
func (b *Budget) Close() {
	b.rest(true)
	b.locked(func(*Budget) { b.closed = true })
}

// Rest gives the sub-budget's share to the others until Wake, because its attempt waits. Bytes in
// use stay charged. A second Rest, or that of a root, does nothing.
func (b *Budget) Rest() { b.rest(true) }

// Wake takes the share back that Rest gave away.
func (b *Budget) Wake() { b.rest(false) }

func (b *Budget) rest(rests bool) {
	b.locked(func(r *Budget) {
		switch {
		case b == r || b.closed || b.rests == rests:
			return
		case rests:
			r.subs--
		default:
			r.subs++
		}
		b.rests = rests
	})
}

// TryAcquire charges n bytes and reports whether they fit: within the limit and, for a sub-budget,
// within its fair share. It first frees idle slabs of the pool if necessary.
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

// take is TryAcquire without freeing idle slabs; it charges a nil budget nothing. lack is the
// number of bytes that the root is short of, if that is the only obstacle.
func (b *Budget) take(n int64) (ok bool, lack int64) {
	ok = b == nil
	b.locked(func(r *Budget) {
		if ok = n <= b.room(); ok {
			b.charge(n)
		} else if n <= b.share() {
			lack = n - (r.limit - r.used)
		}
	})
	return ok, lack
}

// Charge charges n bytes as TryAcquire does or, with force, as Acquire does. It reports whether it
// has charged them.
func (b *Budget) Charge(n int64, force bool) bool {
	if force {
		b.Acquire(n)
	}
	return force || b.TryAcquire(n)
}

// Acquire charges n bytes even beyond the limit, for the small buffers without which an attempt
// could not continue (a spill writer, one record).
func (b *Budget) Acquire(n int64) { b.locked(func(*Budget) { b.charge(n) }) }

// Release gives back n bytes charged to b by TryAcquire or Acquire.
func (b *Budget) Release(n int64) { b.Acquire(-n) }

// Keep turns n charged bytes of sub-budget b into kept bytes of its root, so that the output of an
// ended attempt may stay in memory. Kept bytes take at most half the limit. If it returns false,
// nothing has changed and the caller must spill. For nil, a root or without a limit it always
// succeeds.
func (b *Budget) Keep(n int64) bool {
	ok := true
	b.locked(func(r *Budget) {
		if ok = b == r || r.limit == 0 || r.kept+n <= r.limit/2; ok && b != r {
			b.used -= n
			r.kept += n
		}
	})
	return ok
}

// ReleaseKept gives back n bytes that Keep of b has granted.
func (b *Budget) ReleaseKept(n int64) {
	b.locked(func(r *Budget) {
		r.used -= n
		if b != r {
			r.kept -= n
		}
	})
}

// Fix charges the root n bytes, or gives back -n, for memory that no attempt can free. Like kept
// bytes they reduce the sub-budgets' shares.
func (b *Budget) Fix(n int64) {
	b.locked(func(r *Budget) {
		r.kept += n
		r.charge(n)
	})
}

// Used returns the bytes in use now: of this sub-budget, or of a root with its sub-budgets and kept
// bytes.
func (b *Budget) Used() (n int64) {
	b.locked(func(*Budget) { n = b.used })
	return n
}

// Peak returns the maximum number of bytes in use at once so far.
func (b *Budget) Peak() (n int64) {
	b.locked(func(*Budget) { n = b.peak })
	return n
}

// Available returns how many bytes TryAcquire would grant now; without a limit a very large number.
func (b *Budget) Available() (n int64) {
	if b.Limit() == 0 {
		return 1 << 62
	}
	idle := b.base().pool.Idle()
	b.locked(func(r *Budget) { n = max(0, min(r.limit-r.used+idle, b.share())) })
	return n
}

// Limit returns the limit of the root in bytes; 0 means none.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.base().limit
}

func (b *Budget) base() *Budget {
	if b.root != nil {
		return b.root
	}
	return b
}

// room returns how many bytes b may still charge; the caller holds the root's mutex.
func (b *Budget) room() int64 {
	r := b.base()
	if r.limit == 0 {
		return 1 << 62
	}
	return min(r.limit-r.used, b.share())
}

// share returns how many bytes b may still charge within its share of the limit.
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
