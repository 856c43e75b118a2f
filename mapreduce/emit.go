package mapreduce

import (
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// encodeInto returns a function that returns the encoding of a value: the bytes
// themselves for raw strings and byte slices, else a buffer that the next call
// overwrites.
func (t typedCodec[T]) encodeInto() func(v T) []byte {
	if t.raw && !t.descending {
		var f any
		switch any(*new(T)).(type) {
		case []byte:
			f = func(b []byte) []byte { return b }
		case string:
			f = func(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
		}
		if f, ok := f.(func(T) []byte); ok {
			return f
		}
	}
	if t.empty {
		return func(T) []byte { return nil }
	}
	// As encoder does, without the call between, and without a change of a pointer, which the collector wants to see.
	box, encode, buf := new(T), t.appender(t.descending), make([]byte, 0, 64)
	return func(v T) []byte {
		*box = v
		b := encode(buf[:0], unsafe.Pointer(box))
		if cap(b) != cap(buf) {
			buf = b
		}
		return b
	}
}

// emitSorted returns the emit of a map attempt without combiner. fail receives
// the first error. Keys and values that are bytes go straight to the sorter: 3 ns
// a record less than through encodeInto.
func (b *boundJob[I, K, V, O]) emitSorted(s *segment.Sorter, reduces int, fail *error) func(K, V) {
	if b.rawPartition() {
		raw := emitRaw(s, b.rangeOf(reduces), reduces, fail)
		if emit, ok := any(raw).(func(K, V)); ok {
			return emit
		}
		if emit, ok := any(func(k []byte, _ None) { raw(k, nil) }).(func(K, V)); ok {
			return emit
		}
	}
	partition := b.partitioner(reduces)
	key, value := b.key.encodeInto(), b.value.encodeInto()
	return func(k K, v V) {
		x := key(k)
		if err := s.Add(partition(x), x, value(v)); err != nil && *fail == nil {
			*fail = err
		}
	}
}

// rawPartition reports whether the partition of a key is found by hash or range.
func (b *boundJob[I, K, V, O]) rawPartition() bool {
	return b.key.raw && !b.key.descending && b.job.Partition == nil
}

func emitRaw(s *segment.Sorter, ranges *keyRanges, reduces int, fail *error) func(k, v []byte) {
	return func(k, v []byte) {
		p := 0
		if ranges != nil {
			p = ranges.find(k)
		} else if reduces > 1 {
			p = segment.PartitionOf(k, reduces)
		}
		if err := s.Add(p, k, v); err != nil && *fail == nil {
			*fail = err
		}
	}
}

// emitCombined returns the emit of a map attempt with combiner.
func (b *boundJob[I, K, V, O]) emitCombined(t *combine.Table[V]) func(K, V) {
	if t.Numbers() && b.value.cloner() == nil {
		return combine.NumberEmitter[K](t, numberFlip[K]())
	}
	return b.emitBytes(t)
}

// emitBytes is emitCombined for keys that are no numbers.
func (b *boundJob[I, K, V, O]) emitBytes(t *combine.Table[V]) func(K, V) {
	key := b.key.encodeInto()
	if clone := b.value.cloner(); clone != nil {
		if emit := b.emitLent(t, key); emit != nil {
			return emit
		}
		return func(k K, v V) { t.EmitHeavy(key(k), clone(v)) }
	}
	if t.Weighs() {
		return func(k K, v V) { t.EmitHeavy(key(k), v) }
	}
	if b.key.raw && !b.key.descending {
		if emit := combine.Emitter[K](t); emit != nil {
			return emit
		}
	}
	return combine.EncodedEmitter[K](t, b.key.appender(b.key.descending))
}

// emitLent is the emit of a map attempt whose values are byte slices; nil if they are not.
func (b *boundJob[I, K, V, O]) emitLent(t *combine.Table[V], key func(K) []byte) func(K, V) {
	lent, ok := any(t).(*combine.Table[[]byte])
	if !ok {
		return nil
	}
	if b.key.raw && !b.key.descending {
		if emit, ok := any(func(k, v []byte) { combine.EmitLent(lent, k, v) }).(func(K, V)); ok {
			return emit
		}
	}
	emit, _ := any(func(k K, v []byte) { combine.EmitLent(lent, key(k), v) }).(func(K, V))
	return emit
}

// numberWidth is how many bytes the keys have if they are numbers, in rising order; else 0.
func (b *boundJob[I, K, V, O]) numberWidth() int {
	if b.key.descending {
		return 0
	}
	return numberWidth[K]()
}
