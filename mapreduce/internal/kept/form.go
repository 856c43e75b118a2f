package kept

import (
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Form encodes and decodes the records of a dataset, of type T. It chooses one of three layouts:
//
//   - images: the memory of the values, for types of fixed size without pointers;
//   - flat records: each is its length and its fields, for strings, slices of images without gaps,
//     and structs of images, strings and such slices;
//   - encoded records: each is its length and its encoding as a value, for all other types.
//
// Flat and encoded records are framed: they begin with their length.
type Form[T any] struct {
	formOf
	Codec codec.Typed[T]
}

// formOf is the part of a Form that is compiled once for all T.
type formOf struct {
	Size    int         // of an image in bytes; 0: records are framed
	gaps    []span      // gaps between the fields of an image: zeroed, so that equal records have equal bytes
	flat    []flatField // fields of a flat record; nil: records are encoded
	aligned bool        // flat records begin with a 4-byte length, and slices in them are aligned
}

// span is a range of bytes of an image.
type span struct{ from, to uintptr }

// NewForm returns the form of records of type T, or an error that says why they cannot be kept. An
// image must fit into a block on disk.
func NewForm[T any]() (Form[T], error) {
	c, err := codec.Value[T]()
	f := Form[T]{Codec: c}
	if t := reflect.TypeFor[T](); err == nil && 0 < t.Size() && t.Size() <= spillBlock && isImage(t) {
		f.Size, f.gaps = int(t.Size()), gapsOf(t)
	} else if err == nil && !c.Raw {
		f.flat, _ = flatOf(t)
		f.aligned = isAligned(f.flat)
	}
	return f, err
}

// Appender returns, for one attempt, a function that appends the encoding of the T at rec to dst.
func (f Form[T]) Appender() func(dst []byte, rec memory.Pointer) ([]byte, error) {
	return f.appender(f.Codec.Appender(false))
}

func (f formOf) appender(encode func(dst []byte, rec memory.Pointer) []byte) func(dst []byte, rec memory.Pointer) ([]byte, error) {
	switch {
	case f.Size > 0:
		return func(dst []byte, rec memory.Pointer) ([]byte, error) {
			at := uintptr(len(dst))
			dst = append(dst, rec.Memory(uintptr(f.Size))...)
			for _, g := range f.gaps {
				clear(dst[at+g.from : at+g.to])
			}
			return dst, nil
		}
	case f.aligned:
		return func(dst []byte, rec memory.Pointer) ([]byte, error) { return appendAligned(dst, f.flat, rec) }
	case f.flat != nil:
		encode = func(dst []byte, rec memory.Pointer) []byte { return appendFlat(dst, 0, f.flat, rec, false) }
	}
	return codec.Framed(encode)
}

// framed returns the framed record at the start of b, and the number of bytes
// that it takes; 0 if b does not contain all of it.
func (f formOf) framed(b []byte) (rec []byte, n int) {
	if f.aligned {
		n = alignedLength(b)
		return b[:n:n], n
	}
	return codec.Frame(b)
}

// Length returns the number of bytes of the record at the start of b.
func (f formOf) Length(b []byte) int {
	if f.Size > 0 {
		return f.Size
	}
	_, n := f.framed(b)
	return n
}

// cut returns the length of the run's longest start of whole records, at most `most` bytes.
func (f formOf) cut(run []byte, most int) int {
	if most >= len(run) {
		return len(run)
	}
	if f.Size > 0 {
		return most / f.Size * f.Size
	}
	for at := 0; ; {
		n := f.Length(run[at:])
		if n == 0 || at+n > most {
			return at
		}
		at += n
	}
}

// AtOrAfter returns the offset of the first record of a run that starts at offset `at` or later.
func (f formOf) AtOrAfter(run []byte, at int64) int {
	switch {
	case at <= 0:
		return 0
	case at >= int64(len(run)):
		return len(run)
	case f.Size > 0:
		return min((int(at)+f.Size-1)/f.Size*f.Size, len(run))
	}
	pos := 0
	for n := 1; n > 0 && int64(pos) < at; pos += n {
		n = f.Length(run[pos:])
	}
	return pos
}

// Each calls yield with each record of a run, decoded and as bytes.
func (f Form[T]) Each(run []byte, yield func(rec T, b []byte) error) error {
	decode, box := f.Decoder(), new(T)
	for len(run) > 0 {
		n, err := decode(run, box)
		if err != nil {
			return err
		}
		if err := yield(*box, run[:n]); err != nil {
			return err
		}
		run = run[n:]
	}
	return nil
}

// Decoder returns, for one goroutine, a function that sets *rec to the first record of a run and
// returns its size in bytes.
func (f Form[T]) Decoder() func(run []byte, rec *T) (int, error) {
	flat := &flatReader{fields: f.flat, aligned: f.aligned}
	decode := f.Codec.Decoder()
	return func(run []byte, rec *T) (n int, err error) {
		if f.Size > 0 {
			*rec = memory.Cast[T](run)[0]
			return f.Size, nil
		}
		b, n := f.framed(run)
		switch {
		case n == 0:
			err = codec.ErrMalformed
		case f.flat != nil:
			err = flat.read(b, memory.Of(rec))
		default:
			*rec, err = decode(b)
		}
		if err != nil {
			err = fmt.Errorf("reading kept records: %w", err)
		}
		return n, err
	}
}
