package run

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// encoding returns a func(K, V) that encodes a pair and calls add. The bytes are valid only in add.
func (b *Job) encoding(add func(key, value []byte)) (emit any) {
	key, value := b.key.Bytes(), b.value.Bytes()
	return b.Typed.EmitToPointers(func(k, v memory.Pointer) { add(key(k), value(v)) })
}

// decoding returns a function that decodes a pair and passes it to emit, a func(K, V). With a nil
// emit it only checks that the pair can be decoded.
func (b *Job) decoding(emit any) func(key, value []byte) error {
	readKey, readValue := b.key.Reader(), b.value.Reader()
	k, v := memory.New(b.keyType), memory.New(b.valueType)
	pass := func(key, value memory.Pointer) {}
	if emit != nil {
		pass = b.Typed.EmitFromPointers(emit)
	}
	return func(key, value []byte) error {
		err := cmp.Or(readKey(key, k), readValue(value, v))
		if err == nil {
			pass(k, v)
		}
		return err
	}
}

// sortedEmit returns the func(K, V) that the Map of an attempt without combiner calls. Keys and
// values of type []byte bypass the codec, which saves 3 ns per record.
func (b *Job) sortedEmit(s *segment.Sorter, reduces int, failed *error) any {
	if b.keyType == bytesType && !b.Descending && !b.Partitions {
		var ranges *keyRanges
		if b.Ordered && reduces > 1 {
			ranges = b.ranges
		}
		switch raw := emitRaw(s, ranges, reduces, failed); b.valueType {
		case bytesType:
			return raw
		case reflect.TypeFor[struct{}]():
			return func(key []byte, _ struct{}) { raw(key, nil) }
		}
	}
	partition := b.partitioner(reduces)
	return b.encoding(func(key, value []byte) {
		if err := s.Add(partition(key), key, value); err != nil && *failed == nil {
			*failed = err
		}
	})
}

var bytesType = reflect.TypeFor[[]byte]()

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

// tableEmit returns the func(K, V) that the Map of an attempt with combiner calls. The table copies
// values whose memory the user's code may change later.
func (b *Job) tableEmit(t *combine.Table) any {
	own, raw := b.value.Cloner(), b.key.Raw && !b.Descending
	if t.Numbers() && own == nil {
		flip := codec.IntegerFlip(b.keyType)
		if ready := t.ReadySums(b.EmitType, flip); b.Sums && ready != nil {
			return ready
		}
		return b.Typed.NumberEmit(t, flip)
	}
	if raw {
		if ready := t.Ready(b.EmitType); ready != nil {
			return ready
		}
	}
	var put func(key memory.Pointer)
	switch {
	case !raw:
		put = t.PutEncoded(b.key.Appender(b.Descending))
	case b.keyType.Kind() == reflect.String:
		put = t.PutString
	default:
		put = t.PutBytes
	}
	to := put
	switch {
	case b.valueType == bytesType:
		to = func(key memory.Pointer) {
			t.CopyValue()
			put(key)
		}
	case own != nil:
		to = func(key memory.Pointer) {
			own(t.Next())
			put(key)
		}
	}
	return b.Typed.Table(t, to)
}

// values tells a combine.Table how to fold, encode and decode the job's values.
func (b *Job) values() combine.Values {
	f, fold := b.Typed.Combine()
	if b.Sums && b.valueType.Kind() == reflect.Float64 {
		fold = combine.FoldSums[float64]
	}
	v := combine.Values{Type: b.valueType, Fold: fold, Append: b.value.Appender(false), Decode: b.value.Reader()}
	if codec.SharesBytes(b.valueType) {
		alias := v.Decode
		v.Decode = func(x []byte, v memory.Pointer) error { return alias(slices.Clip(bytes.Clone(x)), v) }
	}
	if f, ok := f.(*func(a, b []byte) []byte); ok {
		v.Bytes = *f
	}
	return v
}
