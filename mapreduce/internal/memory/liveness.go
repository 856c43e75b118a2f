package memory

import "sync/atomic"

// Liveness shows the observer that enforces task timeouts that an attempt makes progress. Sign is
// almost free unless the observer has asked, so any loop may call it. A nil one is not observed.
type Liveness struct {
	// Asked is 1 if an observer waits for a sign, otherwise 0; access it atomically.
	Asked uint32
	signs atomic.Int64
}

// Ask asks for another sign and returns the number of signs so far. Any goroutine may call it.
func (l *Liveness) Ask() int64 {
	atomic.StoreUint32(&l.Asked, 1)
	return l.signs.Load()
}

// Sign answers the observer, if it has asked, that the attempt makes progress.
func (l *Liveness) Sign() {
	if l != nil && atomic.LoadUint32(&l.Asked) != 0 {
		l.answer()
	}
}

// Show makes code that has only the attempt's sub-budget b able to Sign l. Call it before b is
// used.
func (b *Budget) Show(l *Liveness) {
	if b != nil {
		b.life = l
	}
}

// Liveness returns what Show has set, or nil, so that code that has only the budget can Sign.
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
