package memory

import "sync/atomic"

// Liveness shows an observer that an attempt makes progress. Sign is almost free unless the
// observer has asked, so it can be called for every record. A nil Liveness is not observed.
type Liveness struct {
	// Asked is 1 if an observer waits for a sign, otherwise 0; access it atomically.
	Asked uint32
	signs atomic.Int64
}

// Ask requests another sign and returns the number of signs so far. Any goroutine may call it.
func (l *Liveness) Ask() int64 {
	atomic.StoreUint32(&l.Asked, 1)
	return l.signs.Load()
}

// Sign says that the attempt has made progress.
func (l *Liveness) Sign() {
	if l != nil && atomic.LoadUint32(&l.Asked) != 0 {
		l.answer()
	}
}

// Show attaches the Liveness of an attempt to the attempt's sub-budget. Call it before the
// sub-budget is used.
func (b *Budget) Show(l *Liveness) {
	if b != nil {
		b.life = l
	}
}

// Liveness returns the Liveness that Show has attached to b, for the attempt to Sign, or nil.
func (b *Budget) Liveness() *Liveness {
	if b == nil {
		return nil
	}
	return b.life
}

func (l *Liveness) answer() {
	if l == shut {
		panic(Outside)
	}
	atomic.StoreUint32(&l.Asked, 0)
	l.signs.Add(1)
}
