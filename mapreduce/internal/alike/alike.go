// Package alike compares values with a tolerance for floats.
package alike

import (
	"math"
	"reflect"
)

// Equal reports whether a and b have the same type and equal parts. Nil and empty slices are equal,
// and so are NaNs. Floats, also in complex numbers, may differ by the fraction `within` of the
// larger one, 0 <= within < 1. Pointers are equal if what they point to is. Values must not contain
// themselves.
func Equal[T any](a, b T, within float64) bool {
	return equal(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem(), within)
}

func equal(a, b reflect.Value, within float64) bool {
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return floats(a.Float(), b.Float(), within)
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return floats(real(x), real(y), within) && floats(imag(x), imag(y), within)
	case reflect.Struct:
		for i := range a.NumField() {
			if !equal(a.Field(i), b.Field(i), within) {
				return false
			}
		}
		return true
	case reflect.Array, reflect.Slice:
		return elements(a, b, within)
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && equal(a.Elem(), b.Elem(), within)
	case reflect.Map:
		return maps(a, b, within)
	case reflect.Func:
		return a.IsNil() && b.IsNil()
	default:
		return a.Equal(b)
	}
}

func elements(a, b reflect.Value, within float64) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !equal(a.Index(i), b.Index(i), within) {
			return false
		}
	}
	return true
}

func maps(a, b reflect.Value, within float64) bool {
	if a.Len() != b.Len() {
		return false
	}
	for _, k := range a.MapKeys() {
		v := b.MapIndex(k)
		if !v.IsValid() || !equal(a.MapIndex(k), v, within) {
			return false
		}
	}
	return true
}

func floats(a, b, within float64) bool {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return false
	}
	return math.Abs(a-b) <= within*max(math.Abs(a), math.Abs(b))
}
