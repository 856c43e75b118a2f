package memory

import "unsafe"

// Cast returns the bytes b as a slice of T; it omits a remainder too small for an element.
//
// The caller must ensure two conditions: T has no pointers (the garbage collector does not scan
// slabs), and b begins at an address aligned for T, as the bytes of every [Slab] do for alignments
// up to 8.
func Cast[T any](b []byte) []T {
	n := len(b) / int(SizeOf[T]())
	if n == 0 {
		return nil
	}
	return unsafe.Slice(To[T](First(b)), n)
}

// Within returns the offset of b in chunk; false if b's memory is not part of chunk or b is empty.
func Within(chunk, b []byte) (offset int, ok bool) {
	if len(b) == 0 || len(chunk) == 0 {
		return 0, false
	}
	d := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(chunk)))
	if d >= uintptr(len(chunk)) {
		return 0, false
	}
	return int(d), uintptr(len(b)) <= uintptr(len(chunk))-d
}
