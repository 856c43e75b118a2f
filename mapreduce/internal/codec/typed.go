package codec

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Placed is a codec whose values are given by where they lie.
type Placed struct {
	*Codec
	Descending bool
	Type       reflect.Type
}

// Typed is a codec for values of type T.
type Typed[T any] struct{ Placed }

// Key returns the codec of a key type for a job that is bound in package
// home. Descending keys are encoded with an end mark and with all bits flipped.
func Key[K any](descending bool, home string) (Typed[K], error) {
	c, err := KeyOf(reflect.TypeFor[K](), descending, home)
	return Typed[K]{c}, err
}

// KeyOf is Key for keys of type t.
func KeyOf(t reflect.Type, descending bool, home string) (Placed, error) {
	b := Builder{key: true, home: home}
	c, err := b.Of(t, !descending)
	if err != nil {
		return Placed{}, fmt.Errorf("key type %s: %w", t, err)
	}
	return Placed{c, descending, t}, nil
}

// Value returns the codec of a value type.
func Value[V any]() (Typed[V], error) {
	c, err := ValueOf(reflect.TypeFor[V]())
	return Typed[V]{c}, err
}

// ValueOf is Value for values of type t.
func ValueOf(t reflect.Type) (Placed, error) {
	c, err := new(Builder).Of(t, true)
	if err != nil {
		return Placed{}, fmt.Errorf("value type %s: %w", t, err)
	}
	return Placed{c, false, t}, nil
}

// Encoding is that of a value of the type of a codec.
func Encoding(c Placed, v any) []byte {
	at := reflect.New(c.Type)
	at.Elem().Set(reflect.ValueOf(v))
	return c.Appender(c.Descending)(nil, at.UnsafePointer())
}

// Decoded is the value of the type of a codec that the whole of b is the encoding of. Byte slices in
// it may alias b.
func Decoded(c Placed, b []byte) (any, error) {
	at := reflect.New(c.Type)
	if c.Descending {
		b = bytes.Clone(b)
		flip(b)
	}
	rest, err := c.Decode(b, at.UnsafePointer())
	if err == nil && len(rest) > 0 {
		err = ErrMalformed
	}
	return at.Elem().Interface(), err
}

// Encoder returns a function that appends the encoding of v to dst, for one
// goroutine at a time.
//
//go:noinline
func (t *Typed[T]) Encoder() func(dst []byte, v T) []byte {
	box, encode := new(T), t.Appender(t.Descending)
	return func(dst []byte, v T) []byte {
		*box = v
		return encode(dst, unsafe.Pointer(box))
	}
}

// EncoderInPlace returns a function that returns the encoding of a value: the bytes
// themselves for raw strings and byte slices, else a buffer that the next call
// overwrites.
func (t *Typed[T]) EncoderInPlace() func(v T) []byte {
	if t.Raw && !t.Descending {
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
	if t.Empty {
		return func(T) []byte { return nil }
	}
	// As encoder does, without the call between, and without a change of a pointer, which the
	// collector wants to see.
	box, encode, buf := new(T), t.Appender(t.Descending), make([]byte, 0, 64)
	return func(v T) []byte {
		*box = v
		b := encode(buf[:0], unsafe.Pointer(box))
		if cap(b) != cap(buf) {
			buf = b
		}
		return b
	}
}

// Decoder returns a function that decodes the whole of b, for one goroutine at a
// time. Byte slices in the value may alias b.
//
//go:noinline
func (t *Typed[T]) Decoder() func(b []byte) (T, error) {
	box, decode := new(T), t.Decode
	var scratch []byte
	return func(b []byte) (T, error) {
		if t.Descending {
			scratch = append([]byte(nil), b...)
			flip(scratch)
			b = scratch
		}
		rest, err := decode(b, unsafe.Pointer(box))
		if err == nil && len(rest) > 0 {
			err = ErrMalformed
		}
		return *box, err
	}
}

// Cloner returns a function that copies what a value points to, for one goroutine
// at a time, or nil if no value points to bytes that may change.
func (t *Typed[T]) Cloner() func(v T) T {
	if !MayChange(reflect.TypeFor[T]()) {
		return nil
	}
	if f, ok := any(func(b []byte) []byte { return slices.Clip(bytes.Clone(b)) }).(func(T) T); ok {
		return f
	}
	encode, decode := t.Encoder(), t.Decoder()
	return func(v T) T {
		c, err := decode(encode(nil, v))
		if err != nil {
			fault.Throw(err)
		}
		return c
	}
}

// Keeper returns a function that copies what a decoded value may share with the bytes it was decoded
// from, for one goroutine at a time, or nil if it shares nothing.
func (t *Typed[T]) Keeper() func(v T) T {
	if !SharesBytes(reflect.TypeFor[T]()) {
		return nil
	}
	return t.Cloner()
}

// SharesBytes reports whether decoded values of type t may alias their encoding, as byte slices do.
func SharesBytes(t reflect.Type) bool {
	if Marshals(t) {
		return true
	}
	switch t.Kind() {
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8 || SharesBytes(t.Elem())
	case reflect.Array:
		return SharesBytes(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if SharesBytes(f.Type) {
				return true
			}
		}
		return false
	default:
		return false
	}
}

// MayChange reports whether values of type t point to memory that their owner
// may write to: slices, and what a marshaled type may hold.
func MayChange(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Map, reflect.Interface, reflect.Chan,
		reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return MayChange(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if MayChange(f.Type) {
				return true
			}
		}
		return false
	default:
		return false
	}
}

// PrefixLen returns a function that tells how many bytes of an encoding of a struct belong to
// its first n fields, or nil if all do: a field that ends an encoding has no end
// of its own, so that what begins with it may be another value.
func PrefixLen(t Placed, n int) (func(b []byte) int, error) {
	if n < 1 || n > len(t.fields) {
		return nil, fmt.Errorf("GroupFields is %d, but key type %s has %d fields", n, t.Type, len(t.fields))
	}
	fields := t.fields[:n]
	if n == len(t.fields) || slices.ContainsFunc(fields, func(f fieldCodec) bool { return f.Open }) {
		return nil, nil
	}
	var mark byte
	if t.Descending {
		mark = 0xff
	}
	return func(b []byte) int { return widthOf(fields, b, mark) }, nil
}

func flip(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}
