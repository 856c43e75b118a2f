package codec

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Placed is a codec with its type and direction, for callers that know the type only at run time.
type Placed struct {
	*Codec
	Descending bool
	Type       reflect.Type
}

// Typed is a Placed for values of type T, with typed functions.
type Typed[T any] struct{ Placed }

// Key returns the codec of keys of type K. Descending keys are encoded with an end mark and all
// bits flipped. Keys may have unexported fields of the package that makes the job, the caller's.
func Key[K any](descending bool) (Typed[K], error) {
	c, err := KeyOf(reflect.TypeFor[K](), descending)
	return Typed[K]{c}, err
}

// KeyOf is like Key, for a key type t that the caller knows only at run time.
func KeyOf(t reflect.Type, descending bool) (Placed, error) {
	b := Builder{key: true}
	c, err := b.Of(t, !descending)
	if err != nil {
		return Placed{}, fmt.Errorf("key type %s: %w", t, err)
	}
	return Placed{c, descending, t}, nil
}

// Value returns the codec of values of type V, whose encodings need not sort.
func Value[V any]() (Typed[V], error) {
	c, err := ValueOf(reflect.TypeFor[V]())
	return Typed[V]{c}, err
}

// ValueOf is like Value, for a value type t that the caller knows only at run time.
func ValueOf(t reflect.Type) (Placed, error) {
	c, err := new(Builder).Of(t, true)
	if err != nil {
		return Placed{}, fmt.Errorf("value type %s: %w", t, err)
	}
	return Placed{c, false, t}, nil
}

// Encoding returns the encoding of v, whose type must be that of c.
func Encoding(c Placed, v reflect.Value) []byte {
	at := reflect.New(c.Type)
	at.Elem().Set(v)
	return c.Appender(c.Descending)(nil, memory.At(at))
}

// Decoded returns the value, of the type of c, that all of b encodes. Its byte slices may alias b.
func Decoded(c Placed, b []byte) (reflect.Value, error) {
	at := reflect.New(c.Type)
	err := c.Reader()(b, memory.At(at))
	return at.Elem(), err
}

// Bytes returns a function that returns the encoding of the value at v: the bytes themselves for
// raw strings and byte slices, otherwise a buffer that the next call overwrites.
func (p *Placed) Bytes() func(v memory.Pointer) []byte {
	switch {
	case p.Empty:
		return func(memory.Pointer) []byte { return nil }
	case p.Raw && !p.Descending && p.Type.Kind() == reflect.String:
		return func(v memory.Pointer) []byte {
			return memory.BytesOf(*memory.To[string](v))
		}
	case p.Raw && !p.Descending:
		return func(v memory.Pointer) []byte { return *memory.To[[]byte](v) }
	}
	// Update the variable only if the buffer was reallocated: each write of a pointer costs a write
	// barrier.
	encode, buf := p.Appender(p.Descending), make([]byte, 0, 64)
	return func(v memory.Pointer) []byte {
		b := encode(buf[:0], v)
		if cap(b) != cap(buf) {
			buf = b
		}
		return b
	}
}

// Reader returns a function that sets the value at v from its encoding b; byte slices may alias b.
//
//go:noinline
func (p *Placed) Reader() func(b []byte, v memory.Pointer) error {
	decode, descending := p.Decode, p.Descending
	return func(b []byte, v memory.Pointer) error {
		if descending {
			b = append([]byte(nil), b...)
			flip(b)
		}
		rest, err := decode(b, v)
		if err == nil && len(rest) > 0 {
			err = ErrMalformed
		}
		return err
	}
}

// Cloner returns a function that replaces what the value at v points to by a copy, so that it may
// be kept; nil if values need no copy. One goroutine at a time may use the function.
func (p *Placed) Cloner() func(v memory.Pointer) {
	if !MayChange(p.Type) {
		return nil
	}
	if p.Type == reflect.TypeFor[[]byte]() {
		return func(v memory.Pointer) {
			b := memory.To[[]byte](v)
			*b = slices.Clip(bytes.Clone(*b))
		}
	}
	encode, read := p.Appender(p.Descending), p.Reader()
	return func(v memory.Pointer) {
		if err := read(encode(nil, v), v); err != nil {
			fault.Throw(err)
		}
	}
}

// Encoder returns a function that appends the encoding of v to dst, for one goroutine at a time.
//
//go:noinline
func (t *Typed[T]) Encoder() func(dst []byte, v T) []byte {
	box, encode := new(T), t.Appender(t.Descending)
	at := memory.Of(box)
	return func(dst []byte, v T) []byte {
		*box = v
		return encode(dst, at)
	}
}

// Decoder returns a function that decodes the whole of b, for one goroutine at a time. Byte slices
// in the value may alias b.
//
//go:noinline
func (t *Typed[T]) Decoder() func(b []byte) (T, error) {
	box, read := new(T), t.Reader()
	at := memory.Of(box)
	return func(b []byte) (T, error) {
		err := read(b, at)
		return *box, err
	}
}

// SharesBytes reports whether decoded values of type t may alias their encoding, as byte slices do.
func SharesBytes(t reflect.Type) bool {
	return memory.Contains(t, func(t reflect.Type) bool {
		return Marshals(t) || t.Kind() == reflect.Slice && (t.Elem().Kind() == reflect.Uint8 || SharesBytes(t.Elem()))
	})
}

// MayChange reports whether values of type t refer to memory that others can write to, so that a
// caller that keeps one must copy it.
func MayChange(t reflect.Type) bool {
	return memory.Contains(t, func(t reflect.Type) bool { return memory.IsReference(t) && t.Kind() != reflect.String })
}

// PrefixLen returns a function that returns how many bytes of an encoded struct b its first n
// fields take, for grouping by them; nil if the whole key must be compared: n is all fields, or a
// field has no end mark. n must fit t.
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
