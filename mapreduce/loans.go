package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

const (
	loanSlab = 64 << 10 // bytes of which loans are cut
	// loanBytes of slabs are remembered, or the last one, so that what was kept of them is known.
	loanBytes = 4 << 20
)

// loans are copies of bytes that a user's function gets in place of the engine's own, until their
// lifetime ends and they are overwritten. Their memory is not used again: what was kept shows the
// poison, and where it comes from.
type loans struct {
	what  string // record, key or value
	slabs [][]byte
	bytes int // of slabs
	live  []loan
}

// loan is one copy with what it is of.
type loan struct{ of, lent []byte }

// lend returns a copy that lives until the next end.
func (l *loans) lend(b []byte) []byte {
	if len(b) == 0 {
		return b[:0:0]
	}
	last := len(l.slabs) - 1
	if last < 0 || cap(l.slabs[last])-len(l.slabs[last]) < len(b)+kept.FlatWord {
		l.slabs = append(l.slabs, make([]byte, 0, max(loanSlab, len(b)+kept.FlatWord)))
		for l.bytes += cap(l.slabs[last+1]); l.bytes > loanBytes && len(l.slabs) > 1; l.slabs = l.slabs[1:] {
			l.bytes -= cap(l.slabs[0])
		}
		last = len(l.slabs) - 1
	}
	l.slabs[last] = kept.Pad(l.slabs[last], 0, kept.FlatWord) // numbers may be lent, too
	at := len(l.slabs[last])
	l.slabs[last] = append(l.slabs[last], b...)
	lent := l.slabs[last][at:len(l.slabs[last]):len(l.slabs[last])]
	l.live = append(l.live, loan{b, lent})
	return lent
}

// changed reports whether a living loan has been written to.
func (l *loans) changed() bool {
	return slices.ContainsFunc(l.live, func(x loan) bool { return !bytes.Equal(x.of, x.lent) })
}

// end overwrites what is lent.
func (l *loans) end() {
	for _, x := range l.live {
		for i := range x.lent {
			x.lent[i] = memory.Poison
		}
	}
	l.live = l.live[:0]
}

// ended reports whether bytes lie in a loan whose lifetime is over.
func (l *loans) ended(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	has := func(slab []byte) bool {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(slab)))
		return from <= at && at < from+uintptr(len(slab))
	}
	return len(b) > 0 && slices.ContainsFunc(l.slabs, has) &&
		!slices.ContainsFunc(l.live, func(x loan) bool { return has(x.lent) })
}

// lenderOf returns a function that returns a value with all its slices lent whose elements are
// lent; pointers are not followed, nor fields that are not exported.
func lenderOf[T any](l *loans, isLent lentElement) func(v T) T {
	t := reflect.TypeFor[T]()
	if !isLent.within(t, nil) {
		return func(v T) T { return v }
	}
	return func(v T) T {
		isLent.replace(reflect.ValueOf(&v).Elem(), l.lend)
		return v
	}
}

// value returns a copy of v with all its byte slices lent, as lenderOf does.
func (l *loans) value(v reflect.Value) reflect.Value {
	if !lentElement(isByte).within(v.Type(), nil) {
		return v
	}
	lent := reflect.New(v.Type()).Elem()
	lent.Set(v)
	lentElement(isByte).replace(lent, l.lend)
	return lent
}

// lentElement reports whether slices with such elements are lent: isByte, or isView of kept records.
type lentElement func(elem reflect.Type) bool

func isByte(elem reflect.Type) bool { return elem.Kind() == reflect.Uint8 }

func isView(elem reflect.Type) bool { return isByte(elem) || kept.IsPlain(elem) }

// within reports whether values of type t have lent slices in them; above are the types that it is
// asked for already.
func (is lentElement) within(t reflect.Type, above []reflect.Type) bool {
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

// replace puts with(b) in the place of each lent slice b of v, and copies slices that hold any.
func (is lentElement) replace(v reflect.Value, with func([]byte) []byte) {
	switch v.Kind() {
	case reflect.Slice:
		switch {
		case v.IsNil():
		case is(v.Type().Elem()):
			b := with(memoryOf(v))
			*(*[]byte)(v.Addr().UnsafePointer()) = unsafe.Slice(unsafe.SliceData(b), v.Len())
		case is.within(v.Type(), nil):
			list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(list, v)
			for i := range list.Len() {
				is.replace(list.Index(i), with)
			}
			v.Set(list)
		}
	case reflect.Array:
		for i := range v.Len() {
			is.replace(v.Index(i), with)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				is.replace(field, with)
			}
		}
	default:
	}
}

// memoryOf is the memory of a slice whose elements have no pointers.
func memoryOf(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), uintptr(v.Len())*v.Type().Elem().Size())
}

// eachBytes calls yield with the memory of each slice of bytes or numbers of v, and of each string.
func eachBytes(v reflect.Value, yield func([]byte)) {
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		yield(unsafe.Slice(unsafe.StringData(s), len(s)))
	case reflect.Slice, reflect.Array:
		switch elem := v.Type().Elem().Kind(); {
		case v.Kind() == reflect.Slice && isView(v.Type().Elem()):
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

// errKept is wrapped by the errors of functions that emit what they have kept too long.
var errKept = errors.New("byte slices are lent: what is to be kept must be copied (bytes.Clone)")

// keptError is the error of emitting bytes of an ended loan.
func (l *loans) keptError(who, at string) error {
	life := "of an earlier call"
	if l.what == "value" {
		life = "whose place another one has taken, or of an earlier call"
	}
	return fmt.Errorf("mapreduce: %s emitted bytes of a %s %s (%s): %w", who, l.what, life, at, errKept)
}
