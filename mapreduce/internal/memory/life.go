package memory

import "sync/atomic"

// Life shows an observer that an attempt makes progress. Sign is almost free unless the observer
// has asked, so it can be called for every record. A nil Life is not observed.
type Life struct {
	// Asked is 1 if an observer waits for a sign, otherwise 0; access it atomically.
	Asked uint32
	signs atomic.Int64
}

// Ask requests another sign and returns the number of signs so far. Any goroutine may call it.
func (l *Life) Ask() int64 {
	atomic.StoreUint32(&l.Asked, 1)
	return l.signs.Load()
}

// Sign says that the attempt has made progress.
func (l *Life) Sign() {
	if l != nil && atomic.LoadUint32(&l.Asked) != 0 {
		l.answer()
	}
}

// Show sets the Life of a sub-budget's attempt; call it before the sub-budget is used.
func (b *Budget) Show(l *Life) {
	if b != nil {
		b.life = l
	}
}

// Life returns the Life set by Show, or nil.
func (b *Budget) Life() *Life {
	if b == nil {
		return nil
	}
	return b.life
}

func (l *Life) answer() {
	if l == shut {
		panic(Outside)
	}
	atomic.StoreUint32(&l.Asked, 0)
	l.signs.Add(1)
}
