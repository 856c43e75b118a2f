package codec

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// checkSlices verifies that slices survive encoding and sort as slices.Compare orders them, and
// that truncated bytes are an error.
func checkSlices[E int | int32 | int64 | uint | uint32 | uint64 | uintptr](t *testing.T, name string) {
	t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
		c, err := Value[[]E]()
		require.NoError(t, err)
		number := rapid.Custom(func(t *rapid.T) E { return E(rapid.Int64().Draw(t, "number")) })
		draw := func(name string) []E { return rapid.SliceOfN(number, 0, 5).Draw(t, name) }
		a, b := draw("a"), draw("b")
		encode, decode := c.Encoder(), c.Decoder()
		x, y := encode(nil, a), encode(nil, b)
		require.Equal(t, slices.Compare(a, b), slices.Compare(x, y))
		back, err := decode(x)
		require.NoError(t, err)
		require.True(t, slices.Equal(a, back))
		for n := range x {
			_, err := decode(x[:n])
			require.ErrorIs(t, err, ErrMalformed)
		}
		x[0] = 2
		_, err = decode(x)
		require.ErrorIs(t, err, ErrMalformed)
	}))
}

func TestSlicesOfIntegers(t *testing.T) {
	checkSlices[int](t, "int")
	checkSlices[int32](t, "int32")
	checkSlices[int64](t, "int64")
	checkSlices[uint](t, "uint")
	checkSlices[uint32](t, "uint32")
	checkSlices[uint64](t, "uint64")
	checkSlices[uintptr](t, "uintptr")
}

// BenchmarkSliceValue encodes and decodes a list of 100 numbers, with the codec of a value and by
// hand.
func BenchmarkSliceValue(b *testing.B) {
	list := make([]int32, 100)
	b.Run("codec", func(b *testing.B) {
		c, err := Value[[]int32]()
		require.NoError(b, err)
		encode, decode := c.Encoder(), c.Decoder()
		var buf []byte
		for b.Loop() {
			buf = encode(buf[:0], list)
			if _, err := decode(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("packed by hand", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf = buf[:0]
			for _, x := range list {
				buf = binary.LittleEndian.AppendUint32(buf, uint32(x))
			}
			back := make([]int32, 0, len(buf)/4)
			for at := 0; at < len(buf); at += 4 {
				back = append(back, int32(binary.LittleEndian.Uint32(buf[at:])))
			}
			if len(back) != len(list) {
				b.Fatal(len(back))
			}
		}
	})
}
