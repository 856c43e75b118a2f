package codec

import (
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
	c := must(Key[K](false))(t)
	back := must(c.Decoder()(c.Encoder()(nil, k)))(t)
	return back
}

func TestEqualFloatsAreOneKey(t *testing.T) {
	type place struct{ Lat, Lon float64 }
	c := must(Key[place](false))(t)
	encode := c.Encoder()
	zero := math.Copysign(0, -1)
	require.Equal(t, encode(nil, place{0, 0}), encode(nil, place{zero, zero}))
	require.Equal(t, encode(nil, place{math.NaN(), 1}), encode(nil, place{math.Float64frombits(0xfff0000000000123), 1}))
	single := must(Key[float32](false))(t)
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

// version has no memory, but an encoding.
type version struct{}

func (version) MarshalBinary() ([]byte, error) { return []byte("v1"), nil }

func (*version) UnmarshalBinary([]byte) error { return nil }

// A type of size zero is encoded by its own methods, if it has any, and otherwise without bytes.
func TestZeroSizeTypes(t *testing.T) {
	type none struct{}
	for of, empty := range map[reflect.Type]bool{
		reflect.TypeFor[version](): false, reflect.TypeFor[[2]version](): false, reflect.TypeFor[struct{ V version }](): false,
		reflect.TypeFor[[]none](): false, reflect.TypeFor[[0]version](): true, reflect.TypeFor[[0]byte](): true,
		reflect.TypeFor[none](): true, reflect.TypeFor[[3]none](): true,
	} {
		require.Equal(t, empty, must(new(Builder).Of(of, true))(t).Empty, of)
	}
	type text struct {
		Text string
		E    none
	}
	plain := must(Value[text]())(t)
	require.Equal(t, "abc", string(plain.Encoder()(nil, text{Text: "abc"})), "nothing follows the text, so that it needs no end")
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

// Keys may have unexported fields of the caller's package, also if it is not of the program's
// module, but not of other packages.
func TestKeysOfTheCallersPackage(t *testing.T) {
	module := mainModule
	defer func() { mainModule = module }()
	mainModule = func() string { return "other.org/program" }
	_, err := Key[struct{ a, b string }](false)
	require.NoError(t, err)
	_, err = Key[big.Rat](false)
	require.ErrorContains(t, err, "hidden in fields such as a")
}
