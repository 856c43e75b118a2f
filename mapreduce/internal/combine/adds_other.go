//go:build !amd64 && !arm64

package combine

// addsOf are no codes: here every Combine is called.
var (
	addsOf       [9][][]byte
	addsOfFloats [][]byte
)
