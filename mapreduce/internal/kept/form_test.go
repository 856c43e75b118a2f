package kept

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
)

// Records of each form of fixed size: without padding, and with it.
type (
	imaged struct {
		X, Y float64
		N    int64
	}
	padded struct {
		B bool
		N int64
	}
)

// Values that own memory beyond their struct are framed; images are stored as they are.
func TestKeptForms(t *testing.T) {
	size := func(f records) int { return f.Length([]byte{1, 9}) }
	image, err := NewForm[imaged]()
	require.NoError(t, err)
	require.Equal(t, 24, size(image))
	gapped, err := NewForm[padded]()
	require.NoError(t, err)
	require.Equal(t, 16, size(gapped))
	blank, err := NewForm[struct{ A, _ int32 }]()
	require.NoError(t, err)
	require.Equal(t, 2, size(blank))
	_, err = NewForm[*int]()
	require.ErrorIs(t, err, codec.ErrUnsupportedType)
}

// The padding between the fields of an image is zero: equal records have equal bytes.
func TestGapsAreZero(t *testing.T) {
	form, err := NewForm[[3]padded]()
	require.NoError(t, err)
	require.Equal(t, []span{{1, 8}, {17, 24}, {33, 40}}, form.gaps)
	rec := [3]padded{{true, -1}, {true, -1}, {true, -1}}
	for i := range rec {
		clean := unsafe.Slice((*byte)(unsafe.Pointer(&rec[i])), 16)
		copy(clean[1:8], "garbage")
	}
	b, err := form.Appender()(nil, unsafe.Pointer(&rec))
	require.NoError(t, err)
	for i := range rec {
		require.Equal(t, append([]byte{1}, make([]byte, 7)...), b[16*i:16*i+8])
	}
}
