package mapreduce

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
)

// Values whose memory is not all of them are framed; those that are images lie as they are.
func TestKeptForms(t *testing.T) {
	size := func(f interface{ length([]byte) int }) int { return f.length([]byte{1, 9}) }
	image, err := newKeptForm[imageRecord]()
	require.NoError(t, err)
	require.Equal(t, 24, size(image))
	padded, err := newKeptForm[paddedRecord]()
	require.NoError(t, err)
	require.Equal(t, 16, size(padded))
	blank, err := newKeptForm[struct{ A, _ int32 }]()
	require.NoError(t, err)
	require.Equal(t, 2, size(blank))
	_, err = newKeptForm[*int]()
	require.ErrorIs(t, err, ErrUnsupportedType)
	_, err = passOn[*int]().Bind(Slice([]*int{nil}), NewKept[*int](KeptOptions{}).Output())
	require.ErrorIs(t, err, ErrUnsupportedType)
}

// What lies between the fields of an image is zero, whatever it was: equal records have equal bytes.
func TestGapsAreZero(t *testing.T) {
	form, err := newKeptForm[[3]paddedRecord]()
	require.NoError(t, err)
	require.Equal(t, []span{{1, 8}, {17, 24}, {33, 40}}, form.gaps)
	rec := [3]paddedRecord{{true, -1}, {true, -1}, {true, -1}}
	for i := range rec {
		clean := unsafe.Slice((*byte)(unsafe.Pointer(&rec[i])), 16)
		copy(clean[1:8], "garbage")
	}
	b, err := form.encoder()(nil, rec)
	require.NoError(t, err)
	for i := range rec {
		require.Equal(t, append([]byte{1}, make([]byte, 7)...), b[16*i:16*i+8])
	}
}

func TestSharesBytes(t *testing.T) {
	require.Nil(t, codec.Typed[struct{ N []int32 }]{}.Keeper())
	require.Nil(t, codec.Typed[[]string]{}.Keeper())
	for _, shares := range []reflect.Type{
		reflect.TypeFor[[]byte](), reflect.TypeFor[[2][]byte](), reflect.TypeFor[[][]byte](),
		reflect.TypeFor[struct {
			N int
			B []byte
		}](), reflect.TypeFor[time.Time](),
	} {
		require.True(t, codec.SharesBytes(shares), shares)
	}
}
