package combine

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Values describe the type of values to a [Table] or a [Merge].
type Values struct {
	Type reflect.Type
	// Fold combines values; FoldOf makes it from a Combine, which must be associative and
	// commutative. Required unless Options.Sum is set.
	Fold Fold
	// Bytes is Combine if Type is []byte; otherwise nil.
	Bytes func(a, b []byte) []byte
	// Append appends the encoding of the value at v for a spill. Decode sets the value at v from
	// the encoding b; it must not keep b.
	Append func(dst []byte, v unsafe.Pointer) []byte
	Decode func(b []byte, v unsafe.Pointer) error
}

// Fold combines the values in the array at from into values at to; each hit names one pair of them.
type Fold func(to, from unsafe.Pointer, hits []Hit)

// Hit is the destination of an incoming value. Value number From of the array of incoming values is
// combined into the value at byte offset To of the destination, or replaces it if First.
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

// foldSums implements Fold for 8-byte integers that are added.
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

// CanSum reports whether values of type t can be added without a call: whether its kind is an
// integer of 8 bytes.
func CanSum(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64:
		return t.Size() == 8
	default:
		return false
	}
}

// valueForm is Values with derived properties.
type valueForm struct {
	Values
	size    uintptr // bytes
	sum     bool    // they are added
	offHeap bool    // they hold no pointers
	one     []Hit   // scratch for a fold of one value
}

// formOf panics if the values do not fit the options: an error of the program, not of its input.
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
	case f.size == 0: // all values are equal
		f.Fold = func(_, _ unsafe.Pointer, _ []Hit) {}
	}
	return f
}

// hasPointers reports whether values of t have pointers, which must be on the Go heap for the
// garbage collector.
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

// room allocates n values on the Go heap.
func (f *valueForm) room(n int) reflect.Value {
	return reflect.MakeSlice(reflect.SliceOf(f.Type), n, n)
}

// place returns the address of the i-th value.
func (f *valueForm) place(values unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Add(values, uintptr(i)*f.size)
}

// fold combines the value at v into the one at x.
func (f *valueForm) fold(x, v unsafe.Pointer) {
	f.one[0] = Hit{}
	f.Fold(x, v, f.one)
}

// move copies the value at v to x.
func (f *valueForm) move(x, v unsafe.Pointer) {
	f.one[0] = Hit{First: true}
	f.Fold(x, v, f.one)
}

// bytes returns the memory of a value without pointers.
func (f *valueForm) bytes(v unsafe.Pointer) []byte { return unsafe.Slice((*byte)(v), f.size) }

// read decodes a value that was spilled or packed.
func (f *valueForm) read(b []byte, v unsafe.Pointer) error {
	if err := f.Decode(b, v); err != nil {
		return fmt.Errorf("combine: a spilled value of %d bytes: %w", len(b), err)
	}
	return nil
}
