package memory

import "unsafe"

const (
	short    = 16
	pageSize = 4096
)

// AppendShort is append. Of a b of at most 16 bytes it copies 16, if dst has room: how many it is to be is then no
// branch that the processor has to guess.
//
// Invariant: the bytes behind b lie in the same 4 KiB page as its first, and memory is mapped in whole pages, so
// the load cannot fault; what they are does not matter. That is why neither checkptr nor the race detector may look.
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
