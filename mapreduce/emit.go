package mapreduce

import (
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// emitSorted returns the emit of a map attempt without combiner. fail receives
// the first error. Keys and values that are bytes go straight to the sorter: 3 ns
// a record less than through a codec.
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
	key, value := b.key.EncoderInPlace(), b.value.EncoderInPlace()
	return func(k K, v V) {
		x := key(k)
		if err := s.Add(partition(x), x, value(v)); err != nil && *fail == nil {
			*fail = err
		}
	}
}

// rawPartition reports whether the partition of a key is found by hash or range.
func (b *boundJob[I, K, V, O]) rawPartition() bool {
	return b.key.Raw && !b.key.Descending && b.job.Partition == nil
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
	if t.Numbers() && b.value.Cloner() == nil {
		return combine.NumberEmitter[K](t, codec.IntegerFlip[K]())
	}
	return b.emitBytes(t)
}

// emitBytes is emitCombined for keys that are no numbers.
func (b *boundJob[I, K, V, O]) emitBytes(t *combine.Table[V]) func(K, V) {
	key := b.key.EncoderInPlace()
	if clone := b.value.Cloner(); clone != nil {
		if emit := b.emitLent(t, key); emit != nil {
			return emit
		}
		return func(k K, v V) { t.EmitHeavy(key(k), clone(v)) }
	}
	if t.Weighs() {
		return func(k K, v V) { t.EmitHeavy(key(k), v) }
	}
	if b.key.Raw && !b.key.Descending {
		if emit := combine.Emitter[K](t); emit != nil {
			return emit
		}
	}
	return combine.EncodedEmitter[K](t, b.key.Appender(b.key.Descending))
}

// emitLent is the emit of a map attempt whose values are byte slices; nil if they are not.
func (b *boundJob[I, K, V, O]) emitLent(t *combine.Table[V], key func(K) []byte) func(K, V) {
	lent, ok := any(t).(*combine.Table[[]byte])
	if !ok {
		return nil
	}
	if b.key.Raw && !b.key.Descending {
		if emit, ok := any(func(k, v []byte) { combine.EmitLent(lent, k, v) }).(func(K, V)); ok {
			return emit
		}
	}
	emit, _ := any(func(k K, v []byte) { combine.EmitLent(lent, key(k), v) }).(func(K, V))
	return emit
}

// numberWidth is how many bytes the keys have if they are numbers, in rising order; else 0.
func (b *boundJob[I, K, V, O]) numberWidth() int {
	if b.key.Descending {
		return 0
	}
	return codec.IntegerWidth[K]()
}
