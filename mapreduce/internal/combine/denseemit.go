package combine

import "sync/atomic"

// NumberEmitter returns what emits integers of type K, which have Config.Width bytes, 4 or 8: a key
// is the bytes of the integer, big-endian and flipped with flip.
func NumberEmitter[K, V any](t *Table[V], flip uint64) func(K, V) {
	if t.acc.dense.width == 4 {
		return emitAs[K, V](numberEmitter(t, uint32(flip)))
	}
	return emitAs[K, V](numberEmitter(t, flip))
}

// numberEmitter is NumberEmitter for keys that are integers of as many bytes as N. All that most
// pairs need is written out in it: a call less is 2 ns a pair.
func numberEmitter[N uint32 | uint64, V any](t *Table[V], flip N) func(N, V) {
	d, gate, records, fold := &t.acc.dense, &t.gate, &t.acc.stats.Records, t.acc.hash.combine
	if t.acc.hash.sum {
		fold = func(a, b V) V {
			addWord(&a, wordOf(&b))
			return a
		}
	}
	other := func(x N, v V) { t.acc.putNumber(uint64(x), v) }
	return func(k N, v V) {
		if atomic.LoadUint32(&gate.Now.Asked) != 0 {
			gate.Sign()
		}
		*records++
		x := k ^ flip
		i := uint64(x) - d.base
		if i >= uint64(len(d.values)) || d.taken[i/64]&(1<<(i%64)) == 0 {
			other(x, v)
			return
		}
		d.values[i] = fold(d.values[i], v)
	}
}
