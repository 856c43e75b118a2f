package mapreduce

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// encoding is an emit that calls add with each pair, encoded, which is valid until add returns.
func (b *boundJob) encoding(add func(key, value []byte)) (emit any) {
	key, value := b.key.Bytes(), b.value.Bytes()
	return b.typed.caught(func(k, v unsafe.Pointer) { add(key(k), value(v)) })
}

// decoding calls emit with a pair that was encoded; a nil emit only sees whether it can be decoded.
func (b *boundJob) decoding(emit any) func(key, value []byte) error {
	readKey, readValue := b.key.Reader(), b.value.Reader()
	k, v := reflect.New(b.keyType).UnsafePointer(), reflect.New(b.valueType).UnsafePointer()
	pass := func(key, value unsafe.Pointer) {}
	if emit != nil {
		pass = b.typed.passing(emit)
	}
	return func(key, value []byte) error {
		err := cmp.Or(readKey(key, k), readValue(value, v))
		if err == nil {
			pass(k, v)
		}
		return err
	}
}

// sortedEmit is the emit of a map attempt without combiner. Keys and values that are bytes go straight
// to the sorter: 3 ns a record less than through a codec.
func (b *boundJob) sortedEmit(s *segment.Sorter, reduces int, failed *error) any {
	if b.keyType == bytesType && !b.descending && !b.partitions {
		switch raw := emitRaw(s, b.rangeOf(reduces), reduces, failed); b.valueType {
		case bytesType:
			return raw
		case reflect.TypeFor[None]():
			return func(key []byte, _ None) { raw(key, nil) }
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

// tableEmit is the emit of a map attempt with combiner. A value whose owner may write to it is the
// table's own once it is emitted.
func (b *boundJob) tableEmit(t *combine.Table) any {
	own, raw := b.value.Cloner(), b.key.Raw && !b.descending
	if t.Numbers() && own == nil {
		return b.typed.numbers(t, codec.IntegerFlip(b.keyType))
	}
	var put func(key unsafe.Pointer)
	var ready unsafe.Pointer
	switch {
	case !raw:
		put = t.PutEncoded(b.key.Appender(b.descending))
	case b.keyType.Kind() == reflect.String:
		put, ready = t.PutString, t.Ready(b.keyType)
	default:
		put, ready = t.PutBytes, t.Ready(b.keyType)
	}
	to := put
	switch {
	case b.valueType == bytesType:
		to = func(key unsafe.Pointer) {
			t.Lend()
			put(key)
		}
	case own != nil:
		to = func(key unsafe.Pointer) {
			own(t.Next())
			put(key)
		}
	}
	return b.typed.table(t, to, ready)
}

// values are what a table knows of a job's values.
func (b *boundJob) values() combine.Values {
	f, fold := b.typed.combine()
	v := combine.Values{Type: b.valueType, Fold: fold, Append: b.value.Appender(false), Decode: b.value.Reader()}
	if codec.SharesBytes(b.valueType) {
		alias := v.Decode
		v.Decode = func(x []byte, v unsafe.Pointer) error { return alias(slices.Clip(bytes.Clone(x)), v) }
	}
	if f, ok := f.(*func(a, b []byte) []byte); ok {
		v.Bytes = *f
	}
	return v
}
