package kept

import (
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Form encodes and decodes the records of a dataset. It chooses one of three layouts:
//
//   - images: the memory of the values, for types of fixed size without pointers;
//   - flat records: each is its length and its fields, for strings, slices of images without gaps,
//     and structs of images, strings and such slices;
//   - encoded records: each is its length and its encoding as a value, for all other types.
//
// Flat and encoded records are framed: they begin with their length.
type Form struct {
	Size    int         // of an image in bytes; 0: records are framed
	gaps    []span      // gaps between the fields of an image: zeroed, so that equal records have equal bytes
	flat    []flatField // fields of a flat record; nil: records are encoded
	aligned bool        // flat records begin with a 4-byte length, and slices in them are aligned
	value   codec.Placed
}

// span is a range of bytes of an image.
type span struct{ from, to uintptr }

// FormOf returns the form of records of type t, or an error that says why they cannot be kept. An
// image must fit into a block on disk.
func FormOf(t reflect.Type) (Form, error) {
	value, err := codec.ValueOf(t)
	f := Form{value: value}
	if err == nil && 0 < t.Size() && t.Size() <= spillBlock && isImage(t) {
		f.Size, f.gaps = int(t.Size()), gapsOf(t)
	} else if err == nil && !value.Raw {
		f.flat, _ = flatOf(t)
		f.aligned = isAligned(f.flat)
	}
	return f, err
}

// Appender returns, for one attempt, a function that appends the encoding of the record at rec to
// dst.
func (f *Form) Appender() func(dst []byte, rec memory.Pointer) ([]byte, error) {
	encode := f.value.Appender(false)
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
func (f *Form) framed(b []byte) (rec []byte, n int) {
	if f.aligned {
		n = alignedLength(b)
		return b[:n:n], n
	}
	return codec.Frame(b)
}

// Length returns the number of bytes of the record at the start of b.
func (f *Form) Length(b []byte) int {
	if f.Size > 0 {
		return f.Size
	}
	_, n := f.framed(b)
	return n
}

// cut returns the length of the run's longest start of whole records, at most `most` bytes.
func (f *Form) cut(run []byte, most int) int {
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
func (f *Form) AtOrAfter(run []byte, at int64) int {
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

// Each calls yield with each record of a run of T, decoded and as bytes.
func Each[T any](f *Form, run []byte, yield func(rec T, b []byte) error) error {
	read, box := f.Reader(), new(T)
	for len(run) > 0 {
		n, err := read(run, memory.Of(box))
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

// Reader returns, for one goroutine, a function that sets the record at rec to the first one of a
// run and returns its size in bytes.
func (f *Form) Reader() func(run []byte, rec memory.Pointer) (int, error) {
	read := f.value.Reader()
	if f.flat != nil {
		read = (&flatReader{fields: f.flat, aligned: f.aligned}).read
	}
	return func(run []byte, rec memory.Pointer) (int, error) {
		if f.Size > 0 {
			return copy(rec.Memory(uintptr(f.Size)), run), nil
		}
		b, n := f.framed(run)
		err := codec.ErrMalformed
		if n > 0 {
			err = read(b, rec)
		}
		if err != nil {
			err = fmt.Errorf("reading kept records: %w", err)
		}
		return n, err
	}
}
