package memory

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAppendShortIsAppend: AppendShort equals append, wherever the bytes are in a page and whatever
// capacity follows them.
func TestAppendShortIsAppend(t *testing.T) {
	page := make([]byte, 2*pageSize)
	for i := range page {
		page[i] = byte(i*7 + i>>8)
	}
	for start := pageSize - 40; start < pageSize+8; start++ {
		for n := range 35 {
			for _, room := range []int{0, 1, n, 15, 16, 17, 64} {
				dst := append(make([]byte, 0, 3+room), "abc"...)
				b := page[start : start+n]
				require.Equal(t, append(bytes.Clone(dst), b...), AppendShort(dst, b))
				require.Equal(t, "abc", string(dst))
			}
		}
	}
	require.Nil(t, AppendShort(nil, nil))
	require.Equal(t, []byte{1}, AppendShort(nil, []byte{1}))
}
