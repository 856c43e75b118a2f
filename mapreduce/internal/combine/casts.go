package combine

import (
	"fmt"
	"reflect"
	"unsafe"
)

// CanSum reports whether values of type t can be added without a call: whether it is an integer
// type of 4 or 8 bytes, or defined by one.
func CanSum(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64, reflect.Int32, reflect.Uint32:
		return true
	default:
		return false
	}
}

// addWord adds a sum to *v, by its bits.
//
// Invariant: V can be added (CanSum), as Config.check sees to; so in wordOf and setWord.
func addWord[V any](v *V, x uint64) {
	if unsafe.Sizeof(*v) == 8 {
		*(*uint64)(unsafe.Pointer(v)) += x
		return
	}
	*(*uint32)(unsafe.Pointer(v)) += uint32(x)
}

// wordOf returns the bits of a sum, sign-extended from 32 bits so that small
// negative ones stay short; setWord reverses it.
func wordOf[V any](v *V) uint64 {
	if unsafe.Sizeof(*v) == 8 {
		return *(*uint64)(unsafe.Pointer(v))
	}
	return uint64(*(*int32)(unsafe.Pointer(v)))
}

func setWord[V any](v *V, x uint64) {
	if unsafe.Sizeof(*v) == 8 {
		*(*uint64)(unsafe.Pointer(v)) = x
		return
	}
	*(*uint32)(unsafe.Pointer(v)) = uint32(x)
}

// wordAt and setWordAt are the same for a sum of a size, 4 or 8 bytes.
func wordAt(v unsafe.Pointer, size int) uint64 {
	if size == 8 {
		return *(*uint64)(v)
	}
	return uint64(*(*int32)(v))
}

func setWordAt(v unsafe.Pointer, size int, x uint64) {
	if size == 8 {
		*(*uint64)(v) = x
		return
	}
	*(*uint32)(v) = uint32(x)
}

// sizeOf returns the bytes of a V.
func sizeOf[V any]() int { return int(unsafe.Sizeof(*new(V))) }

// memoryOf returns the bytes of *v.
//
// Invariant: V holds no pointers, as Table and Segment see to with hasPointers.
func memoryOf[V any](v *V) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// emitAs returns an emit for K and V in place of one for N and W. They must be the same types, or
// integers of the same size: then Go passes them alike.
func emitAs[K, V, N, W any](emit func(N, W)) func(K, V) {
	if !passedAlike(reflect.TypeFor[K](), reflect.TypeFor[N]()) || !passedAlike(reflect.TypeFor[V](), reflect.TypeFor[W]()) {
		panic(fmt.Sprintf("combine: a %T is no %T", emit, (func(K, V))(nil)))
	}
	return *(*func(K, V))(unsafe.Pointer(&emit))
}

func passedAlike(a, b reflect.Type) bool {
	return a == b || isInteger(a) && isInteger(b) && a.Size() == b.Size()
}

func isInteger(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr }

// sameWords reports whether two values are the same words of memory.
//
// Invariant: V holds pointers, so its size is a multiple of theirs.
func sameWords[V any](a, b *V) bool {
	for i := uintptr(0); i < unsafe.Sizeof(*a); i += unsafe.Sizeof(i) {
		x, y := unsafe.Add(unsafe.Pointer(a), i), unsafe.Add(unsafe.Pointer(b), i)
		if *(*uintptr)(x) != *(*uintptr)(y) {
			return false
		}
	}
	return true
}
