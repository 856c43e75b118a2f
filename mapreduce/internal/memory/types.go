package memory

import "reflect"

// HasPointers reports whether values of type t hold pointers. If so, they must be on the Go heap
// for the garbage collector.
func HasPointers(t reflect.Type) bool { return Contains(t, IsReference) }

// IsReference reports whether values of type t, no array or struct, are pointers or begin with one.
func IsReference(t reflect.Type) bool {
	k := t.Kind()
	return k > reflect.Complex128 && k != reflect.Array && k != reflect.Struct
}

// Contains reports whether is holds for t, or for the type of an element of an array or of a field
// in it.
func Contains(t reflect.Type, is func(t reflect.Type) bool) bool {
	switch {
	case is(t):
		return true
	case t.Kind() == reflect.Array:
		return t.Len() > 0 && Contains(t.Elem(), is)
	case t.Kind() == reflect.Struct:
		for f := range t.Fields() {
			if Contains(f.Type, is) {
				return true
			}
		}
	}
	return false
}
