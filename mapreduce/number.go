package mapreduce

import (
	"reflect"
	"unsafe"
)

// numberWidth is how many bytes a key of type K has that is a number: the encoding of an integer; 0
// if it is none.
func numberWidth[K any]() int {
	t := reflect.TypeFor[K]()
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if _, own := reflect.TypeAssert[selfCoded](reflect.Zero(t)); !own && !marshals(t) {
			return int(t.Size())
		}
	default:
	}
	return 0
}

// numberFlip is what the bits of an integer are flipped with, so that numbers are ordered as the
// integers are.
func numberFlip[K any]() uint64 {
	if t := reflect.TypeFor[K](); t.Kind() <= reflect.Int64 {
		return 1 << (t.Bits() - 1)
	}
	return 0
}

// bitsOf are the bits of an integer of 4 or 8 bytes.
func bitsOf[K any](k *K) uint64 {
	if unsafe.Sizeof(*k) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(k)))
	}
	return *(*uint64)(unsafe.Pointer(k))
}

// setBits reverses bitsOf.
func setBits[K any](k *K, x uint64) {
	if unsafe.Sizeof(*k) == 4 {
		*(*uint32)(unsafe.Pointer(k)) = uint32(x)
		return
	}
	*(*uint64)(unsafe.Pointer(k)) = x
}
