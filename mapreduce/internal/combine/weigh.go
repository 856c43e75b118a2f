package combine

import (
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// weigher returns a function that estimates the bytes of heap memory that the value at p, of type
// t, refers to; nil if t has no pointers.
func weigher(t reflect.Type) func(p memory.Pointer) int64 { return weigherAt(t, 0) }

// weigherAt is like weigher, for a part of a value that is nested depth levels deep. At more than 4
// levels, which recursive types reach, it returns weighDeep.
func weigherAt(t reflect.Type, depth int) func(p memory.Pointer) int64 {
	if !memory.HasPointers(t) {
		return nil
	}
	if depth > 4 {
		return weighDeep(t)
	}
	switch t.Kind() {
	case reflect.String:
		return func(p memory.Pointer) int64 { return int64(len(*memory.To[string](p))) }
	case reflect.Slice:
		return weighSlice(t.Elem(), weigherAt(t.Elem(), depth+1))
	case reflect.Struct:
		return weighStruct(t, depth)
	default:
		return weighDeep(t)
	}
}

func weighSlice(elem reflect.Type, each func(p memory.Pointer) int64) func(p memory.Pointer) int64 {
	size := elem.Size()
	return func(p memory.Pointer) int64 {
		s := *memory.To[[]byte](p) // its length and capacity are in elements
		n := int64(cap(s)) * int64(size)
		if each != nil {
			first := memory.First(s)
			for i := range len(s) {
				n += each(first.Index(i, size))
			}
		}
		return n
	}
}

func weighStruct(t reflect.Type, depth int) func(p memory.Pointer) int64 {
	type part struct {
		offset uintptr
		weigh  func(p memory.Pointer) int64
	}
	var parts []part
	for f := range t.Fields() {
		if w := weigherAt(f.Type, depth+1); w != nil {
			parts = append(parts, part{f.Offset, w})
		}
	}
	return func(p memory.Pointer) (n int64) {
		for _, x := range parts {
			n += x.weigh(p.Add(x.offset))
		}
		return n
	}
}

// weighDeep returns a slower weigher for any type: it follows pointers, maps and interfaces.
func weighDeep(t reflect.Type) func(p memory.Pointer) int64 {
	return func(p memory.Pointer) int64 {
		w := walker{left: maxSteps}
		return w.behind(p.Value(t))
	}
}

// maxSteps is the number of parts of one value that weighDeep counts; it ignores the rest.
const maxSteps = 1 << 16

// walker adds up the heap memory that a value refers to. It counts each allocation once.
type walker struct {
	seen map[memory.Pointer]bool
	left int
}

// perEntry is the overhead of a map entry, in bytes.
const perEntry = 16

// opaque is the estimate in bytes for a value that reflection cannot see into, such as a function.
const opaque = 64

func (w *walker) behind(v reflect.Value) (n int64) {
	t := v.Type()
	if w.left--; w.left < 0 || !memory.HasPointers(t) {
		return 0
	}
	switch t.Kind() {
	case reflect.String:
		return int64(v.Len())
	case reflect.Slice:
		if w.again(memory.At(v)) {
			return 0
		}
		n = int64(v.Cap()) * int64(t.Elem().Size())
		return n + w.elements(v)
	case reflect.Array:
		return w.elements(v)
	case reflect.Struct:
		for _, f := range v.Fields() {
			n += w.behind(f)
		}
		return n
	case reflect.Pointer:
		if v.IsNil() || w.again(memory.At(v)) {
			return 0
		}
		return int64(t.Elem().Size()) + w.behind(v.Elem())
	case reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return int64(v.Elem().Type().Size()) + w.behind(v.Elem())
	case reflect.Map:
		if v.IsNil() || w.again(memory.At(v)) {
			return 0
		}
		return w.entries(v)
	default:
		return opaque
	}
}

func (w *walker) elements(v reflect.Value) (n int64) {
	if !memory.HasPointers(v.Type().Elem()) {
		return 0
	}
	for i := 0; i < v.Len() && w.left > 0; i++ {
		n += w.behind(v.Index(i))
	}
	return n
}

func (w *walker) entries(v reflect.Value) int64 {
	k, e := v.Type().Key(), v.Type().Elem()
	n := int64(v.Len()) * 2 * int64(k.Size()+e.Size()+perEntry) // half full on average
	if !memory.HasPointers(k) && !memory.HasPointers(e) {
		return n
	}
	for it := v.MapRange(); w.left > 0 && it.Next(); {
		n += w.behind(it.Key()) + w.behind(it.Value())
	}
	return n
}

// again reports whether the walker has counted the memory at p before, and marks it as counted.
func (w *walker) again(p memory.Pointer) bool {
	if w.seen[p] {
		return true
	}
	if w.seen == nil {
		w.seen = map[memory.Pointer]bool{}
	}
	w.seen[p] = true
	return false
}

// mutable reports whether a value of type t can grow in place, so that its own words do not change.
func mutable(t reflect.Type) bool {
	return memory.Contains(t, func(t reflect.Type) bool {
		switch t.Kind() {
		case reflect.String:
			return false
		case reflect.Slice:
			return t.Elem().Kind() != reflect.String && memory.HasPointers(t.Elem())
		default:
			return memory.IsReference(t)
		}
	})
}
