package memory

import "unsafe"

const (
	short    = 16
	pageSize = 4096
)

// AppendShort returns append(dst, b...), faster for short b: for at most 16 bytes it copies 16, if
// dst has room, so that the processor need not predict the length.
//
// Invariant: the bytes after b are in the same 4 KiB page as its first byte, and memory is mapped
// in whole pages, so the load cannot fault; their content does not matter. Therefore checkptr and
// the race detector must be off here.
//
//go:nocheckptr
//go:norace
func AppendShort(dst, b []byte) []byte {
	p := unsafe.Pointer(unsafe.SliceData(b))
	n := len(dst)
	if uint(len(b)-1) >= short || cap(dst)-n < short || uintptr(p)%pageSize > pageSize-short {
		return append(dst, b...)
	}
	dst = dst[:n+short]
	*(*[short]byte)(dst[n:]) = *(*[short]byte)(p)
	return dst[:n+len(b)]
}
