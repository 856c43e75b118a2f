package mapreduce

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// typedCodec is a codec for values of type T.
type typedCodec[T any] struct {
	*codec
	descending bool
}

// keyCodec returns the codec of a key type for a job that is bound in package
// home. Descending keys are encoded with an end mark and with all bits flipped.
func keyCodec[K any](descending bool, home string) (typedCodec[K], error) {
	b := codecs{key: true, home: home}
	c, err := b.of(reflect.TypeFor[K](), !descending)
	if err != nil {
		return typedCodec[K]{}, fmt.Errorf("key type %s: %w", reflect.TypeFor[K](), err)
	}
	return typedCodec[K]{c, descending}, nil
}

// KeyEncoder returns what makes encoders of keys: functions that append the bytes by which the engine
// knows a key to dst, for one goroutine each. Keys that are equal have equal bytes, and bytes.Compare
// orders as keys are ordered. The form may change with a later version of this module.
//
// A type that no key can have is an error. skip is how many callers up the package is whose own structs
// may have unexported fields: 0 is the caller's.
func KeyEncoder[K any](skip int) (func() func(dst []byte, key K) []byte, error) {
	c, err := keyCodec[K](false, callerPackage(skip+2))
	return c.encoder, err
}

// valueCodec returns the codec of a value type.
func valueCodec[V any]() (typedCodec[V], error) {
	c, err := new(codecs).of(reflect.TypeFor[V](), true)
	if err != nil {
		return typedCodec[V]{}, fmt.Errorf("value type %s: %w", reflect.TypeFor[V](), err)
	}
	return typedCodec[V]{c, false}, nil
}

// encoder returns a function that appends the encoding of v to dst, for one
// goroutine at a time.
//
//go:noinline
func (t typedCodec[T]) encoder() func(dst []byte, v T) []byte {
	box, encode := new(T), t.appender(t.descending)
	return func(dst []byte, v T) []byte {
		*box = v
		return encode(dst, unsafe.Pointer(box))
	}
}

// decoder returns a function that decodes the whole of b, for one goroutine at a
// time. Byte slices in the value may alias b.
//
//go:noinline
func (t typedCodec[T]) decoder() func(b []byte) (T, error) {
	box, decode := new(T), t.decode
	var scratch []byte
	return func(b []byte) (T, error) {
		if t.descending {
			scratch = append([]byte(nil), b...)
			flip(scratch)
			b = scratch
		}
		rest, err := decode(b, unsafe.Pointer(box))
		if err == nil && len(rest) > 0 {
			err = errEncoding
		}
		return *box, err
	}
}

// cloner returns a function that copies what a value points to, for one goroutine
// at a time, or nil if no value points to bytes that may change.
func (t typedCodec[T]) cloner() func(v T) T {
	if !mayChange(reflect.TypeFor[T]()) {
		return nil
	}
	if f, ok := any(func(b []byte) []byte { return slices.Clip(bytes.Clone(b)) }).(func(T) T); ok {
		return f
	}
	encode, decode := t.encoder(), t.decoder()
	return func(v T) T {
		c, err := decode(encode(nil, v))
		if err != nil {
			fault.Throw(err)
		}
		return c
	}
}

// keeper returns a function that copies what a decoded value may share with the bytes it was decoded
// from, for one goroutine at a time, or nil if it shares nothing.
func (t typedCodec[T]) keeper() func(v T) T {
	if !sharesBytes(reflect.TypeFor[T]()) {
		return nil
	}
	return t.cloner()
}

// sharesBytes reports whether decoded values of type t may alias their encoding, as byte slices do.
func sharesBytes(t reflect.Type) bool {
	if marshals(t) {
		return true
	}
	switch t.Kind() {
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8 || sharesBytes(t.Elem())
	case reflect.Array:
		return sharesBytes(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if sharesBytes(f.Type) {
				return true
			}
		}
		return false
	default:
		return false
	}
}

// mayChange reports whether values of type t point to memory that their owner
// may write to: slices, and what a marshaled type may hold.
func mayChange(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Map, reflect.Interface, reflect.Chan,
		reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return mayChange(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if mayChange(f.Type) {
				return true
			}
		}
		return false
	default:
		return false
	}
}

// prefixLen returns a function that tells how many bytes of an encoding belong to
// its first n fields, or nil if all do: a field that ends an encoding has no end
// of its own, so that what begins with it may be another value.
func (t typedCodec[T]) prefixLen(n int) (func(b []byte) int, error) {
	if n < 1 || n > len(t.fields) {
		return nil, fmt.Errorf("GroupFields is %d, but key type %s has %d fields", n, reflect.TypeFor[T](),
			len(t.fields))
	}
	fields := t.fields[:n]
	if n == len(t.fields) || slices.ContainsFunc(fields, func(f fieldCodec) bool { return f.open }) {
		return nil, nil
	}
	var mark byte
	if t.descending {
		mark = 0xff
	}
	return func(b []byte) int { return widthOf(fields, b, mark) }, nil
}

func flip(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}
