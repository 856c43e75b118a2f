package combine

import (
	"reflect"
	"slices"
	"unsafe"
)

// addKind says how values are combined where that is an addition without a call.
type addKind uint8

const (
	addCalls  addKind = iota // of Combine
	addWords                 // integers of 4 or 8 bytes
	addFloats                // float64
)

// addsWhat is how a table combines.
func addsWhat[V any](sum bool, combine func(a, b V) V) addKind {
	switch {
	case sum:
		return addWords
	case combine != nil && reflect.TypeFor[V]().Kind() == reflect.Float64 && isOneOf(combine, addsOfFloats):
		return addFloats
	default:
		return addCalls
	}
}

// Adds reports whether a Combine is known to do nothing but add two integers, as
// func(a, b int64) int64 { return a + b } does, so that values can be added without a call, which
// takes a tenth of a WordCount. It looks at the function's instructions: if these are an addition of
// its arguments and the return, then it adds, whatever its source is. Where it looks different,
// because another compiler or a build for tests has made it, or on another architecture, it is
// called as any other.
func Adds[V any](combine func(a, b V) V) bool {
	if combine == nil {
		return false
	}
	var sums [][]byte
	switch reflect.TypeFor[V]().Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64:
		sums = addsOf[unsafe.Sizeof(*new(V))]
	case reflect.Int32, reflect.Uint32:
		sums = addsOf[4]
	default: // no addition of two registers
		return false
	}
	return isOneOf(combine, sums)
}

// isOneOf reports whether the instructions of a function are one of those.
func isOneOf[V any](combine func(a, b V) V, codes [][]byte) bool {
	// A function value points to a pointer to its code.
	entry := **(**unsafe.Pointer)(unsafe.Pointer(&combine))
	return slices.ContainsFunc(codes, func(code []byte) bool {
		return string(unsafe.Slice((*byte)(entry), len(code))) == string(code)
	})
}
