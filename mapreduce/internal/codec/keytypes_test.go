package codec

import (
	"encoding/binary"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestStandardKeysSortAsTheyCompare(t *testing.T) {
	checkKeys(t, "time", rapid.Custom(func(t *rapid.T) time.Time {
		sec := rapid.OneOf(rapid.Int64Range(-2, 2), rapid.Int64Range(math.MinInt64/2, math.MaxInt64/2),
			rapid.Just[int64](unixZero)).Draw(t, "seconds")
		zone := rapid.SampledFrom([]*time.Location{time.UTC, time.Local, time.FixedZone("x", 3601)}).Draw(t, "zone")
		return time.Unix(sec, rapid.Int64Range(0, 2).Draw(t, "nanoseconds")).In(zone)
	}), time.Time.Compare)
	checkKeys(t, "big.Int", rapid.Custom(func(t *rapid.T) big.Int {
		x := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "magnitude"))
		if rapid.Bool().Draw(t, "negative") {
			x.Neg(x)
		}
		return *x
	}), func(a, b big.Int) int { return a.Cmp(&b) })
	checkKeys(t, "netip.Addr", rapid.Custom(func(t *rapid.T) netip.Addr {
		b := rapid.SampledFrom([]int{0, 4, 16}).Draw(t, "length")
		a, _ := netip.AddrFromSlice(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 9, 255}), b, b).Draw(t, "bytes"))
		if b == 16 {
			a = a.WithZone(rapid.SampledFrom([]string{"", "e", "eth"}).Draw(t, "zone"))
		}
		return a
	}), netip.Addr.Compare)
	require.Equal(t, time.Time{}, roundTrip(t, time.Time{}))
}

// roundTrip encodes and decodes a key.
func roundTrip[K any](t *testing.T, k K) K {
	t.Helper()
	c := must(Key[K](false, ""))(t)
	back := must(c.Decoder()(c.Encoder()(nil, k)))(t)
	return back
}

func TestEqualFloatsAreOneKey(t *testing.T) {
	type place struct{ Lat, Lon float64 }
	c := must(Key[place](false, ""))(t)
	encode := c.Encoder()
	zero := math.Copysign(0, -1)
	require.Equal(t, encode(nil, place{0, 0}), encode(nil, place{zero, zero}))
	require.Equal(t, encode(nil, place{math.NaN(), 1}), encode(nil, place{math.Float64frombits(0xfff0000000000123), 1}))
	single := must(Key[float32](false, ""))(t)
	require.Equal(t, single.Encoder()(nil, float32(math.NaN())), single.Encoder()(nil, math.Float32frombits(0xff800123)))
	require.Equal(t, single.Encoder()(nil, 0), single.Encoder()(nil, float32(zero)))
	v := must(Value[float64]())(t)
	back := must(v.Decoder()(v.Encoder()(nil, zero)))(t)
	require.True(t, math.Signbit(back), "a value keeps its sign")
}

// checkSlices checks that slices decode to themselves, that encodings compare as slices.Compare
// does, and that truncated bytes are an error.
func checkSlices[E int | int32 | int64 | uint | uint32 | uint64 | uintptr](t *testing.T, name string) {
	t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
		c := must(Value[[]E]())(t)
		number := rapid.Custom(func(t *rapid.T) E { return E(rapid.Int64().Draw(t, "number")) })
		draw := func(name string) []E { return rapid.SliceOfN(number, 0, 5).Draw(t, name) }
		a, b := draw("a"), draw("b")
		encode, decode := c.Encoder(), c.Decoder()
		x, y := encode(nil, a), encode(nil, b)
		require.Equal(t, slices.Compare(a, b), slices.Compare(x, y))
		require.True(t, slices.Equal(a, must(decode(x))(t)))
		for n := range x {
			_, err := decode(x[:n])
			require.ErrorIs(t, err, ErrMalformed)
		}
		x[0] = 2
		_, err := decode(x)
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

// BenchmarkSliceValue measures encoding and decoding of a list of 100 numbers, with the codec and
// by hand-written code.
func BenchmarkSliceValue(b *testing.B) {
	list := make([]int32, 100)
	b.Run("codec", func(b *testing.B) {
		c := must(Value[[]int32]())(b)
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

func TestSharesBytes(t *testing.T) {
	require.False(t, SharesBytes(reflect.TypeFor[struct{ N []int32 }]()))
	require.False(t, SharesBytes(reflect.TypeFor[[]string]()))
	for _, shares := range []reflect.Type{
		reflect.TypeFor[[]byte](), reflect.TypeFor[[2][]byte](), reflect.TypeFor[[][]byte](),
		reflect.TypeFor[struct {
			N int
			B []byte
		}](), reflect.TypeFor[time.Time](),
	} {
		require.True(t, SharesBytes(shares), shares)
	}
}
