package watch

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	copySlab = 64 << 10 // bytes per slab
	// copyBytes is the size of the latest copies that are kept, at least one slab, to recognize
	// bytes that user code has kept.
	copyBytes = 4 << 20
)

// Copies makes the copies that user code gets in place of the engine's byte slices. When they are
// no longer valid, they are overwritten with memory.Poison. Their memory is not reused, so that a
// copy is recognized if user code has kept it.
type Copies struct {
	what  string // record, key or value
	slabs [][]byte
	bytes int // total of slabs
	live  []copied
	kept  string // where the current call has emitted a copy that is no longer valid; "": nowhere
}

// copied is a copy that is still valid, in its second field, and the bytes that it copies.
type copied struct{ of, lent []byte }

// copyOf returns a copy of b that is valid until the next end.
func (l *Copies) copyOf(b []byte) []byte {
	if len(b) == 0 {
		return b[:0:0]
	}
	last := len(l.slabs) - 1
	if last < 0 || cap(l.slabs[last])-len(l.slabs[last]) < len(b)+kept.FlatWord {
		l.slabs = append(l.slabs, make([]byte, 0, max(copySlab, len(b)+kept.FlatWord)))
		for l.bytes += cap(l.slabs[last+1]); l.bytes > copyBytes && len(l.slabs) > 1; l.slabs = l.slabs[1:] {
			l.bytes -= cap(l.slabs[0])
		}
		last = len(l.slabs) - 1
	}
	l.slabs[last] = kept.Pad(l.slabs[last], 0, kept.FlatWord) // aligned, since slices of numbers may be copied
	at := len(l.slabs[last])
	l.slabs[last] = append(l.slabs[last], b...)
	lent := l.slabs[last][at:len(l.slabs[last]):len(l.slabs[last])]
	l.live = append(l.live, copied{b, lent})
	return lent
}

// changed reports whether user code has modified a copy that is still valid.
func (l *Copies) changed() bool {
	return slices.ContainsFunc(l.live, func(x copied) bool { return !bytes.Equal(x.of, x.lent) })
}

// end ends the validity of all copies and overwrites them.
func (l *Copies) end() {
	for _, x := range l.live {
		for i := range x.lent {
			x.lent[i] = memory.Poison
		}
	}
	l.live = l.live[:0]
}

// ended reports whether b is in a copy that is no longer valid, so that user code has kept it.
func (l *Copies) ended(b []byte) bool {
	has := func(slab []byte) bool {
		_, begins := memory.Within(slab, b[:1])
		return begins
	}
	return len(b) > 0 && slices.ContainsFunc(l.slabs, has) &&
		!slices.ContainsFunc(l.live, func(x copied) bool { return has(x.lent) })
}

// Copier returns a function that replaces the slices in a value by copies if isCopied selects their
// elements' type. It does not follow pointers or unexported fields.
func Copier[T any](l *Copies, isCopied Element) func(v T) T {
	t := reflect.TypeFor[T]()
	if !isCopied.within(t, nil) {
		return func(v T) T { return v }
	}
	return func(v T) T {
		isCopied.Replace(reflect.ValueOf(&v).Elem(), l.copySlice)
		return v
	}
}

// value returns v with copies in place of its byte slices, as Copier does.
func (l *Copies) value(v reflect.Value) reflect.Value {
	if !Element(Bytes).within(v.Type(), nil) {
		return v
	}
	lent := reflect.New(v.Type()).Elem()
	lent.Set(v)
	Element(Bytes).Replace(lent, l.copySlice)
	return lent
}

// copySlice sets the slice v, whose elements have no pointers, to a copy.
func (l *Copies) copySlice(v reflect.Value) {
	memory.At(v.Addr()).SetSlice(l.copyOf(memoryOf(v)), v.Len())
}

// Element selects the slices to copy by the type of their elements. It is Bytes, or Views for the
// records of a dataset.
type Element func(elem reflect.Type) bool

// Bytes selects slices of bytes.
func Bytes(elem reflect.Type) bool { return elem.Kind() == reflect.Uint8 }

// Views selects slices of bytes and slices of numbers.
func Views(elem reflect.Type) bool { return Bytes(elem) || kept.IsPlain(elem) }

// within reports whether values of type t have slices to copy. above are the types around t in the
// search, which stops at one of them: the type is recursive.
func (is Element) within(t reflect.Type, above []reflect.Type) bool {
	if slices.Contains(above, t) {
		return false
	}
	switch t.Kind() {
	case reflect.Slice:
		return is(t.Elem()) || is.within(t.Elem(), append(above, t))
	case reflect.Array:
		return is.within(t.Elem(), append(above, t))
	case reflect.Struct:
		for f := range t.Fields() {
			if f.IsExported() && is.within(f.Type, append(above, t)) {
				return true
			}
		}
	default:
	}
	return false
}

// Replace calls copySlice with each slice in v that is selected, to set it to a copy. It copies the
// slices that contain such slices itself.
func (is Element) Replace(v reflect.Value, copySlice func(v reflect.Value)) {
	switch v.Kind() {
	case reflect.Slice:
		switch {
		case v.IsNil():
		case is(v.Type().Elem()):
			copySlice(v)
		case is.within(v.Type(), nil):
			list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(list, v)
			for i := range list.Len() {
				is.Replace(list.Index(i), copySlice)
			}
			v.Set(list)
		}
	case reflect.Array:
		for i := range v.Len() {
			is.Replace(v.Index(i), copySlice)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				is.Replace(field, copySlice)
			}
		}
	default:
	}
}

// memoryOf returns the bytes of a slice's elements, which must not have pointers.
func memoryOf(v reflect.Value) []byte {
	return memory.At(v).Memory(uintptr(v.Len()) * v.Type().Elem().Size())
}

// eachBytes calls yield with the bytes of each string in v, and of each slice of bytes or numbers.
func eachBytes(v reflect.Value, yield func([]byte)) {
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		yield(memory.BytesOf(s))
	case reflect.Slice, reflect.Array:
		switch elem := v.Type().Elem().Kind(); {
		case v.Kind() == reflect.Slice && Views(v.Type().Elem()):
			yield(memoryOf(v))
		case elem == reflect.String || elem == reflect.Slice || elem == reflect.Array || elem == reflect.Struct:
			for i := range v.Len() {
				eachBytes(v.Index(i), yield)
			}
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			eachBytes(field, yield)
		}
	default:
	}
}

// ErrKept is wrapped by the error of user code that emits bytes that are no longer valid.
var ErrKept = errors.New("byte slices are lent: what is to be kept must be copied (bytes.Clone)")

// keptError returns the error for who (Map, Reduce, Close) having emitted invalid bytes.
func (l *Copies) keptError(who string) error {
	life := "of an earlier call"
	if l.what == "value" {
		life = "whose place another one has taken, or of an earlier call"
	}
	return fmt.Errorf("mapreduce: %s emitted bytes of a %s %s (%s): %w", who, l.what, life, l.kept, ErrKept)
}
