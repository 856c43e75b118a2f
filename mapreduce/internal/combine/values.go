package combine

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Values are what a [Table] or a [Merge] knows of its values, whose type is the caller's.
type Values struct {
	Type reflect.Type
	// Fold combines values; FoldOf makes it of a Combine, which must be associative and commutative.
	// Required unless Options.Sum is set.
	Fold Fold
	// Bytes is Combine once more if Type is []byte; else nil.
	Bytes func(a, b []byte) []byte
	// Append appends the encoding of the value at v for a spill run. Decode makes what the whole of b
	// encodes the value at v; it must not keep b.
	Append func(dst []byte, v unsafe.Pointer) []byte
	Decode func(b []byte, v unsafe.Pointer) error
}

// Fold combines values of a type that only it knows.
type Fold func(to, from unsafe.Pointer, hits []Hit)

// Hit says where a value goes: number From of those that come, which lie one behind the other, is
// combined with the one that lies To bytes behind the place of all that are there, or becomes it, if it
// is the first one.
type Hit struct {
	To    uintptr
	From  uint32
	First bool
}

// FoldOf returns the Fold of a Combine.
//
//go:noinline
func FoldOf[V any](combine func(a, b V) V) Fold {
	return func(to, from unsafe.Pointer, hits []Hit) {
		for i := range hits {
			h := &hits[i]
			x, v := (*V)(unsafe.Add(to, h.To)), (*V)(unsafe.Add(from, uintptr(h.From)*unsafe.Sizeof(*new(V))))
			if h.First {
				*x = *v
			} else {
				*x = combine(*x, *v)
			}
		}
	}
}

// foldSums is the Fold of integers of 8 bytes that are added.
func foldSums(to, from unsafe.Pointer, hits []Hit) {
	for i := range hits {
		h := &hits[i]
		x, v := (*uint64)(unsafe.Add(to, h.To)), *(*uint64)(unsafe.Add(from, uintptr(h.From)*8))
		if h.First {
			*x = v
		} else {
			*x += v
		}
	}
}

// CanSum reports whether values of type t can be added without a call: whether it is an integer
// type of 8 bytes, or defined by one.
func CanSum(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64:
		return t.Size() == 8
	default:
		return false
	}
}

// valueForm is Values with what follows from them.
type valueForm struct {
	Values
	size    uintptr // bytes
	sum     bool    // they are added
	offHeap bool    // they hold no pointers
	one     []Hit   // room for a fold of one value
}

// formOf panics if values cannot be what the options say: a mistake of the program, not of its input.
func formOf(o *Options, v *Values) valueForm {
	if o.Sum && !CanSum(v.Type) {
		panic(fmt.Sprintf("combine: Sum needs an integer value of 8 bytes, not %s", v.Type))
	}
	if !o.Sum && v.Fold == nil || v.Append == nil || v.Decode == nil {
		panic("combine: Fold, Append or Decode is missing")
	}
	f := valueForm{Values: *v, size: v.Type.Size(), sum: o.Sum, offHeap: !hasPointers(v.Type), one: make([]Hit, 1)}
	switch {
	case o.Sum:
		f.Fold = foldSums
	case f.size == 0: // there is but one value
		f.Fold = func(_, _ unsafe.Pointer, _ []Hit) {}
	}
	return f
}

// hasPointers reports whether values of t keep the collector busy; they must then live on the Go heap.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if hasPointers(f.Type) {
				return true
			}
		}
		return false
	default:
		return t.Kind() > reflect.Complex128
	}
}

// room returns memory on the Go heap for n values.
func (f *valueForm) room(n int) reflect.Value {
	return reflect.MakeSlice(reflect.SliceOf(f.Type), n, n)
}

// place returns where the i-th of values lies.
func (f *valueForm) place(values unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Add(values, uintptr(i)*f.size)
}

// fold combines a value into the one at x.
func (f *valueForm) fold(x, v unsafe.Pointer) {
	f.one[0] = Hit{}
	f.Fold(x, v, f.one)
}

// move copies the value at v to x.
func (f *valueForm) move(x, v unsafe.Pointer) {
	f.one[0] = Hit{First: true}
	f.Fold(x, v, f.one)
}

// bytes is the memory of a value without pointers.
func (f *valueForm) bytes(v unsafe.Pointer) []byte { return unsafe.Slice((*byte)(v), f.size) }

// read decodes a value that was spilled or packed.
func (f *valueForm) read(b []byte, v unsafe.Pointer) error {
	if err := f.Decode(b, v); err != nil {
		return fmt.Errorf("combine: a spilled value of %d bytes: %w", len(b), err)
	}
	return nil
}
