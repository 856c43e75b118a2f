package codec

import (
	"math"
	"math/big"
	"net/netip"
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
	c, err := Key[K](false, "")
	require.NoError(t, err)
	back, err := c.Decoder()(c.Encoder()(nil, k))
	require.NoError(t, err)
	return back
}

func TestEqualFloatsAreOneKey(t *testing.T) {
	type place struct{ Lat, Lon float64 }
	c, err := Key[place](false, "")
	require.NoError(t, err)
	encode := c.Encoder()
	zero := math.Copysign(0, -1)
	require.Equal(t, encode(nil, place{0, 0}), encode(nil, place{zero, zero}))
	require.Equal(t, encode(nil, place{math.NaN(), 1}), encode(nil, place{math.Float64frombits(0xfff0000000000123), 1}))
	single, err := Key[float32](false, "")
	require.NoError(t, err)
	require.Equal(t, single.Encoder()(nil, float32(math.NaN())), single.Encoder()(nil, math.Float32frombits(0xff800123)))
	require.Equal(t, single.Encoder()(nil, 0), single.Encoder()(nil, float32(zero)))
	v, err := Value[float64]()
	require.NoError(t, err)
	back, err := v.Decoder()(v.Encoder()(nil, zero))
	require.NoError(t, err)
	require.True(t, math.Signbit(back), "a value keeps its sign")
}
