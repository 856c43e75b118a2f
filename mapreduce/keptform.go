package mapreduce

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// keptForm is how kept records of type T lie in memory. Of a type of fixed size that points to
// nothing it is the memory of the values themselves, which cost nothing to encode and decode;
// else each record comes after its length: its fields as they are if they are such values, strings and
// slices of them, or its encoding as a value.
type keptForm[T any] struct {
	size  int         // of an image; 0: records are framed
	gaps  []span      // of an image, between its fields: zero, so that equal records are equal bytes
	flat  []flatField // of a record that is framed; nil: its encoding as a value
	codec codec.Typed[T]

	aligned bool // records are framed, flat and begin with their length in 4 bytes
}

// span is some bytes of an image.
type span struct{ from, to uintptr }

func newKeptForm[T any]() (keptForm[T], error) {
	c, err := codec.Value[T]()
	f := keptForm[T]{codec: c}
	if t := reflect.TypeFor[T](); err == nil && isImage(t) && t.Size() > 0 && t.Size() <= spillKept {
		f.size, f.gaps = int(t.Size()), gapsOf(nil, t, 0)
	} else if err == nil && !c.Raw {
		f.flat, _ = flatOf(nil, t, 0)
		f.aligned = isAligned(f.flat)
	}
	return f, err
}

// isImage reports whether the memory of a value of type t, but for gaps between its fields, is the
// value: no pointers, no fields without a name, and no encoding of the type's own.
func isImage(t reflect.Type) bool {
	if codec.IsMarshaler(t) {
		return false
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return true
	case reflect.Array:
		return isImage(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name == "_" || !isImage(f.Type) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// gapsOf lists what lies between the fields of an image of type t that begins at a byte.
func gapsOf(list []span, t reflect.Type, at uintptr) []span {
	switch t.Kind() {
	case reflect.Array:
		if gapsOf(nil, t.Elem(), 0) != nil {
			for i := range t.Len() {
				list = gapsOf(list, t.Elem(), at+uintptr(i)*t.Elem().Size())
			}
		}
	case reflect.Struct:
		end := uintptr(0)
		for f := range t.Fields() {
			if f.Offset > end {
				list = append(list, span{at + end, at + f.Offset})
			}
			list = gapsOf(list, f.Type, at+f.Offset)
			end = f.Offset + f.Type.Size()
		}
		if end < t.Size() {
			list = append(list, span{at + end, at + t.Size()})
		}
	default:
	}
	return list
}

// encoder returns the function of one attempt that appends a record.
func (f keptForm[T]) encoder() func(dst []byte, rec T) ([]byte, error) {
	if f.size > 0 {
		box := new(T)
		image := unsafe.Slice((*byte)(unsafe.Pointer(box)), f.size)
		return func(dst []byte, rec T) ([]byte, error) {
			*box = rec
			for _, g := range f.gaps {
				clear(image[g.from:g.to])
			}
			return append(dst, image...), nil
		}
	}
	if f.aligned {
		box := new(T)
		return func(dst []byte, rec T) ([]byte, error) {
			*box = rec
			return appendAligned(dst, f.flat, unsafe.Pointer(box))
		}
	}
	encode := f.codec.Encoder()
	if f.flat != nil {
		box := new(T)
		encode = func(dst []byte, rec T) []byte {
			*box = rec
			return appendFlat(dst, f.flat, unsafe.Pointer(box))
		}
	}
	var scratch []byte
	return func(dst []byte, rec T) ([]byte, error) {
		scratch = encode(scratch[:0], rec)
		return append(binary.AppendUvarint(dst, uint64(len(scratch))), scratch...), nil
	}
}

// framed cuts the record off that b begins with, as reader reads it, and says how many bytes of b it is;
// 0 if b does not hold all of it.
func (f keptForm[T]) framed(b []byte) (rec []byte, n int) {
	if f.aligned {
		n = alignedLength(b)
		return b[:n:n], n
	}
	return frame(b)
}

// reader returns the function of one goroutine that reads what framed has cut off.
func (f keptForm[T]) reader() func(b []byte) (T, error) {
	if f.flat == nil {
		return f.codec.Decoder()
	}
	box, r := new(T), &flatReader{fields: f.flat, aligned: f.aligned}
	return func(b []byte) (T, error) {
		err := r.read(b, unsafe.Pointer(box))
		return *box, err
	}
}

// length is that of the record that b begins with.
func (f keptForm[T]) length(b []byte) int {
	if f.size > 0 {
		return f.size
	}
	_, n := f.framed(b)
	return n
}

// cut is how many of the first bytes of a run, at most most, are whole records.
func (f keptForm[T]) cut(run []byte, most int) int {
	if most >= len(run) {
		return len(run)
	}
	if f.size > 0 {
		return most / f.size * f.size
	}
	for at := 0; ; {
		n := f.length(run[at:])
		if n == 0 || at+n > most {
			return at
		}
		at += n
	}
}

// start is where the first record of a run begins at or after byte at.
func (f keptForm[T]) start(run []byte, at int64) int {
	switch {
	case at <= 0:
		return 0
	case at >= int64(len(run)):
		return len(run)
	case f.size > 0:
		return min((int(at)+f.size-1)/f.size*f.size, len(run))
	}
	pos := 0
	for n := 1; n > 0 && int64(pos) < at; pos += n {
		n = f.length(run[pos:])
	}
	return pos
}

// each calls yield with each record of a run and its bytes.
func (f keptForm[T]) each(run []byte, yield func(rec T, b []byte) error) error {
	if f.size > 0 {
		for i, rec := range memory.Cast[T](run) {
			if err := yield(rec, run[i*f.size:][:f.size]); err != nil {
				return err
			}
		}
		return nil
	}
	decode := f.reader()
	for len(run) > 0 {
		b, n := f.framed(run)
		if n == 0 {
			return codec.ErrMalformed
		}
		rec, err := decode(b)
		if err != nil {
			return fmt.Errorf("reading kept records: %w", err)
		}
		if err := yield(rec, run[:n]); err != nil {
			return err
		}
		run = run[n:]
	}
	return nil
}
