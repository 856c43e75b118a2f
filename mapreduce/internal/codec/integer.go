package codec

import (
	"reflect"
	"unsafe"
)

// IntegerWidth returns the size in bytes of keys of type t that are encoded as integers, or 0 if
// they are not.
func IntegerWidth(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if _, own := reflect.TypeAssert[SelfCoded](reflect.Zero(t)); !own && !Marshals(t) {
			return int(t.Size())
		}
	default:
	}
	return 0
}

// IntegerFlip returns the mask that makes the bits of an integer type order like the integers.
func IntegerFlip(t reflect.Type) uint64 {
	if t.Kind() <= reflect.Int64 {
		return 1 << (t.Bits() - 1)
	}
	return 0
}

// BitsOf returns the bits of an integer of 4 or 8 bytes.
func BitsOf[K any](k *K) uint64 {
	if unsafe.Sizeof(*k) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(k)))
	}
	return *(*uint64)(unsafe.Pointer(k))
}

// SetBits reverses BitsOf.
func SetBits[K any](k *K, x uint64) { SetBitsAt(unsafe.Pointer(k), int(unsafe.Sizeof(*k)), x) }

// SetBitsAt is like SetBits, for an integer of the given size at k.
func SetBitsAt(k unsafe.Pointer, size int, x uint64) {
	if size == 4 {
		*(*uint32)(k) = uint32(x)
		return
	}
	*(*uint64)(k) = x
}
