package memory

import "sync/atomic"

// Life is how an attempt shows whoever watches it that it goes on. Sign costs next to nothing
// unless the watcher has asked, so that it may be called for every record. A nil Life is not
// watched.
type Life struct {
	// Asked is 1 if somebody waits for a sign, else 0; it is read and written atomically.
	Asked uint32
	signs atomic.Int64
}

// Ask asks for another sign and returns the number of those so far. Any goroutine may ask.
func (l *Life) Ask() int64 {
	atomic.StoreUint32(&l.Asked, 1)
	return l.signs.Load()
}

// Sign says that the attempt has done something.
func (l *Life) Sign() {
	if l != nil && atomic.LoadUint32(&l.Asked) != 0 {
		l.answer()
	}
}

// Show makes l the life that shows what is done with a sub-budget; to be called before its use.
func (b *Budget) Show(l *Life) {
	if b != nil {
		b.life = l
	}
}

// Life is what Show was given, or nil.
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
