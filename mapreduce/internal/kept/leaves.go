package kept

import (
	"iter"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// leaf is a part of a value that is no array or struct.
type leaf struct {
	at uintptr // offset in the value
	reflect.Type
}

// leavesOf yields the leaves of a value of type t in the order of memory, without blank fields. A
// type for which whole is true is a leaf, too.
func leavesOf(t reflect.Type, whole func(t reflect.Type) bool) iter.Seq[leaf] {
	var each func(t reflect.Type, at uintptr, yield func(leaf) bool) bool
	each = func(t reflect.Type, at uintptr, yield func(leaf) bool) bool {
		goesOn := true
		switch {
		case whole(t):
			return yield(leaf{at, t})
		case t.Kind() == reflect.Array:
			for i := 0; goesOn && i < t.Len(); i++ {
				goesOn = each(t.Elem(), at+uintptr(i)*t.Elem().Size(), yield)
			}
			return goesOn
		case t.Kind() == reflect.Struct:
			for f := range t.Fields() {
				goesOn = goesOn && (f.Name == "_" || each(f.Type, at+f.Offset, yield))
			}
			return goesOn
		}
		return yield(leaf{at, t})
	}
	return func(yield func(leaf) bool) { each(t, 0, yield) }
}

// isNumber reports whether t is a bool, an integer or a float without an encoding of its own.
func isNumber(t reflect.Type) bool {
	return reflect.Bool <= t.Kind() && t.Kind() <= reflect.Float64 && !codec.IsMarshaler(t)
}

// isImage reports whether a copy of its memory is a full copy of any value of type t: it has no
// pointers and no encoding of its own.
func isImage(t reflect.Type) bool {
	for l := range leavesOf(t, codec.IsMarshaler) {
		if !isNumber(l.Type) {
			return false
		}
	}
	return !memory.HasPointers(t) // in blank fields
}

// gapsOf returns the unused bytes of an image of type t, between its fields and in blank ones.
func gapsOf(t reflect.Type) (list []span) {
	end := uintptr(0)
	for l := range leavesOf(t, codec.IsMarshaler) {
		if l.at > end {
			list = append(list, span{end, l.at})
		}
		end = l.at + l.Size()
	}
	if end < t.Size() {
		list = append(list, span{end, t.Size()})
	}
	return list
}

// IsPlain reports whether slices with elements of type t, in records read from a store, alias the
// store's memory instead of being copies.
func IsPlain(t reflect.Type) bool { return t.Size() > 0 && isImage(t) && gapsOf(t) == nil }
