package combine

import (
	"encoding"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// weigher returns a function that estimates the bytes of heap memory that the value at p, of type
// t, refers to; nil if t has no pointers. Values consist of strings, slices, arrays and structs, or
// have an encoding of their own, whose length tells how much they may refer to.
func weigher(t reflect.Type) func(p memory.Pointer) int64 {
	switch {
	case !memory.HasPointers(t):
		return nil
	case codec.Marshals(t):
		return weighEncoding(t)
	}
	switch t.Kind() {
	case reflect.String:
		return func(p memory.Pointer) int64 { return int64(len(*memory.To[string](p))) }
	case reflect.Slice:
		return weighSlice(t.Elem())
	case reflect.Array:
		each := weigher(t.Elem())
		return func(p memory.Pointer) int64 { return weighEach(each, p, t.Len(), t.Elem().Size()) }
	case reflect.Struct:
		return weighStruct(t)
	default:
		return func(memory.Pointer) int64 { return 0 }
	}
}

// marshaledFactor is the estimated heap memory per encoded byte of a type with its own encoding,
// such as a set in a map.
const marshaledFactor = 2

func weighEncoding(t reflect.Type) func(p memory.Pointer) int64 {
	return func(p memory.Pointer) int64 {
		b, _ := p.Value(t).Addr().Interface().(encoding.BinaryMarshaler).MarshalBinary() // a spill reports its error
		return marshaledFactor * int64(len(b))
	}
}

func weighSlice(elem reflect.Type) func(p memory.Pointer) int64 {
	size, each := elem.Size(), weigher(elem)
	return func(p memory.Pointer) int64 {
		s := *memory.To[[]byte](p) // its length and capacity are in elements
		return int64(cap(s))*int64(size) + weighEach(each, memory.First(s), len(s), size)
	}
}

// weighEach returns the total weight of n adjacent values of size bytes; each may be nil.
func weighEach(each func(p memory.Pointer) int64, first memory.Pointer, n int, size uintptr) (sum int64) {
	for i := 0; each != nil && i < n; i++ {
		sum += each(first.Index(i, size))
	}
	return sum
}

func weighStruct(t reflect.Type) func(p memory.Pointer) int64 {
	type part struct {
		offset uintptr
		weigh  func(p memory.Pointer) int64
	}
	var parts []part
	for f := range t.Fields() {
		if w := weigher(f.Type); w != nil {
			parts = append(parts, part{f.Offset, w})
		}
	}
	return func(p memory.Pointer) (n int64) {
		for _, x := range parts {
			n += x.weigh(p.Add(x.offset))
		}
		return n
	}
}

// mutable reports whether a value of type t can grow in place, so that its own words do not change.
func mutable(t reflect.Type) bool {
	return memory.Contains(t, func(t reflect.Type) bool {
		switch t.Kind() {
		case reflect.String:
			return false
		case reflect.Slice:
			return t.Elem().Kind() != reflect.String && memory.HasPointers(t.Elem())
		default:
			return memory.IsReference(t)
		}
	})
}
