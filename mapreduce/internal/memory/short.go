package memory

const short = 16

// AppendShort returns append(dst, b...), faster for short b: for at most 16 bytes it copies 16, if
// dst has room, so that the processor need not predict the length.
//
// It loads bytes after b, whose content does not matter, as Pointer.InPage allows.
//
//go:nocheckptr
//go:norace
func AppendShort(dst, b []byte) []byte {
	p := First(b)
	n := len(dst)
	if uint(len(b)-1) >= short || cap(dst)-n < short || !p.InPage(short) {
		return append(dst, b...)
	}
	dst = dst[:n+short]
	*(*[short]byte)(dst[n:]) = *To[[short]byte](p)
	return dst[:n+len(b)]
}
