package combine

import (
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Emitter returns Emit or EmitString as a function of K, or nil if K is neither []byte nor string.
func Emitter[K, V any](t *Table[V]) func(K, V) {
	if t.acc.hash.sum && sizeOf[V]() == 8 {
		e := &sumEmitter{
			waiting: &t.acc.short, gate: &t.gate, stats: &t.acc.stats, turn: t.acc.turn,
			other: func(key []byte, v uint64) {
				var sum V
				setWord(&sum, v)
				t.acc.put(key, sum)
			},
		}
		switch any(*new(K)).(type) {
		case []byte:
			return emitAs[K, V](e.ofBytes())
		case string:
			return emitAs[K, V](e.ofStrings())
		}
	}
	if emit, ok := any(t.Emit).(func(K, V)); ok {
		return emit
	}
	emit, _ := any(t.EmitString).(func(K, V))
	return emit
}

// sumEmitter makes emits of a table of sums of 8 bytes. What most pairs need is written out in
// them, and they have no type parameter, not even one for their key: of each small function that is
// called where a program's package has a generic function compiled, Go makes a call. With those
// calls a WordCount takes a fifth longer.
type sumEmitter struct {
	waiting *batch
	gate    *memory.Gate
	stats   *segment.Stats
	turn    func()
	other   func(key []byte, v uint64)
}

func (e *sumEmitter) ofBytes() func(key []byte, v uint64) {
	b, gate, stats, turn, other := e.waiting, e.gate, e.stats, e.turn, e.other
	return func(key []byte, v uint64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		n := len(key)
		stats.Records++
		stats.Bytes += int64(n)
		p := unsafe.Pointer(unsafe.SliceData(key))
		if uint(n-1) >= inlineKey || !sixteenAt(p) {
			other(key, v)
			return
		}
		keep := &masks[n&31]
		w := &b.keys[b.n&(2*batchSize-1)]
		w.k0, w.k1 = load(p, 0)&keep[0], load(p, 8)&keep[1]
		w.mark, w.word = uint32(n)+1, v
		w.hash = mix(w.k0, w.k1, uint64(w.mark))
		if b.n++; b.n%batchSize == 0 {
			turn()
		}
	}
}

// ofStrings is ofBytes, and its body once more.
func (e *sumEmitter) ofStrings() func(key string, v uint64) {
	b, gate, stats, turn, other := e.waiting, e.gate, e.stats, e.turn, e.other
	return func(key string, v uint64) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		n := len(key)
		stats.Records++
		stats.Bytes += int64(n)
		p := unsafe.Pointer(unsafe.StringData(key))
		if uint(n-1) >= inlineKey || !sixteenAt(p) {
			other(unsafe.Slice((*byte)(p), n), v)
			return
		}
		keep := &masks[n&31]
		w := &b.keys[b.n&(2*batchSize-1)]
		w.k0, w.k1 = load(p, 0)&keep[0], load(p, 8)&keep[1]
		w.mark, w.word = uint32(n)+1, v
		w.hash = mix(w.k0, w.k1, uint64(w.mark))
		if b.n++; b.n%batchSize == 0 {
			turn()
		}
	}
}
