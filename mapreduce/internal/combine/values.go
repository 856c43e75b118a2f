package combine

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Values describes the type of values, and how a [Table] or [Merge] combines and encodes them.
type Values struct {
	Type reflect.Type
	// Fold combines values; FoldOf makes it from the user's Combine, which must be associative and
	// commutative. Required unless Options.Sum is set.
	Fold Fold
	// Bytes is the user's Combine if Type is []byte; otherwise nil.
	Bytes func(a, b []byte) []byte
	// Append appends the encoding of the value at v for a spill. Decode sets the value at v from
	// the encoding b; it must not keep b.
	Append func(dst []byte, v memory.Pointer) []byte
	Decode func(b []byte, v memory.Pointer) error
}

// Fold combines values in the array at from into values at to; each hit names one of both.
type Fold func(to, from memory.Pointer, hits []Hit)

// Hit says where an incoming value goes: value number From of the incoming array is combined into
// the value at byte offset To of the table. If First, the key is new and the value is stored there.
type Hit struct {
	To    uintptr
	From  uint32
	First bool
}

// FoldOf returns a Fold that merges values by calling combine, the user's function.
//
//go:noinline
func FoldOf[V any](combine func(a, b V) V) Fold {
	return func(to, from memory.Pointer, hits []Hit) {
		target, source := to.Raw(), from.Raw() // once: the user's program does not inline Raw
		for i := range hits {
			h := &hits[i]
			x, v := (*V)(unsafe.Add(target, h.To)), (*V)(unsafe.Add(source, uintptr(h.From)*unsafe.Sizeof(*new(V))))
			if h.First {
				*x = *v
			} else {
				*x = combine(*x, *v)
			}
		}
	}
}

// FoldSums is a Fold that adds numbers of 8 bytes, without a call per value.
func FoldSums[V uint64 | float64](to, from memory.Pointer, hits []Hit) {
	for i := range hits {
		h := &hits[i]
		x, v := memory.To[V](to.Add(h.To)), *memory.To[V](from.Index(int(h.From), 8))
		if h.First {
			*x = v
		} else {
			*x += v
		}
	}
}

// CanSum reports whether Options.Sum may be set for values of type t: an integer kind of 8 bytes.
func CanSum(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64:
		return t.Size() == 8
	default:
		return false
	}
}

// valueForm is Values with what the accumulator derives from the type and the options.
type valueForm struct {
	Values
	size    uintptr // bytes
	sum     bool    // Options.Sum
	offHeap bool    // values hold no pointers, so they may be outside of the Go heap
	one     []Hit   // scratch for a fold of one value
}

// formOf returns the valueForm of v. It panics if v does not fit o: an error of the program.
func formOf(o *Options, v *Values) valueForm {
	if o.Sum && !CanSum(v.Type) {
		panic(fmt.Sprintf("combine: Sum needs an integer value of 8 bytes, not %s", v.Type))
	}
	if !o.Sum && v.Fold == nil || v.Append == nil || v.Decode == nil {
		panic("combine: Fold, Append or Decode is missing")
	}
	f := valueForm{Values: *v, size: v.Type.Size(), sum: o.Sum, offHeap: !memory.HasPointers(v.Type), one: make([]Hit, 1)}
	switch {
	case o.Sum:
		f.Fold = FoldSums[uint64]
	case f.size == 0: // all values are equal
		f.Fold = func(_, _ memory.Pointer, _ []Hit) {}
	}
	return f
}

// room returns a new slice of n values, on the Go heap.
func (f *valueForm) room(n int) reflect.Value {
	return reflect.MakeSlice(reflect.SliceOf(f.Type), n, n)
}

// array is like room, but returns the address of the first value.
func (f *valueForm) array(n int) memory.Pointer { return memory.At(f.room(n)) }

// place returns the address of value i of the array at values.
func (f *valueForm) place(values memory.Pointer, i int) memory.Pointer {
	return values.Index(i, f.size)
}

// fold combines the value at v into the one at x, which keeps the result.
func (f *valueForm) fold(x, v memory.Pointer) {
	f.one[0] = Hit{}
	f.Fold(x, v, f.one)
}

// move overwrites the value at x with the one at v.
func (f *valueForm) move(x, v memory.Pointer) {
	f.one[0] = Hit{First: true}
	f.Fold(x, v, f.one)
}

// bytes returns the memory of the value at v, which must hold no pointers.
func (f *valueForm) bytes(v memory.Pointer) []byte { return v.Memory(f.size) }

// read sets the value at v from b, an encoding that was spilled or packed.
func (f *valueForm) read(b []byte, v memory.Pointer) error {
	if err := f.Decode(b, v); err != nil {
		return fmt.Errorf("combine: a spilled value of %d bytes: %w", len(b), err)
	}
	return nil
}
