package mapreduce

import (
	"bytes"
	"io"
	"math"
	"math/big"
	"net/netip"
	"sync/atomic"
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
	c, err := keyCodec[K](false, "")
	require.NoError(t, err)
	back, err := c.decoder()(c.encoder()(nil, k))
	require.NoError(t, err)
	return back
}

type stamped struct {
	time.Time
	N int
}

type wrapped struct {
	stamped
	Name string
}

// ownWay embeds a type that marshals itself and has a way of its own.
type ownWay struct {
	mark
	N byte
}

func (o ownWay) MarshalBinary() ([]byte, error) { return append([]byte{o.N}, o.text...), nil }

func (o *ownWay) UnmarshalBinary(b []byte) error {
	o.N, o.text = b[0], string(b[1:])
	return nil
}

// TestEmbeddedMethodsLoseNoFields states that a struct with MarshalBinary from an
// embedded field keeps its other fields, as key, value and text, and that a
// method of its own is used.
func TestEmbeddedMethodsLoseNoFields(t *testing.T) {
	at := time.Unix(1700000000, 5).UTC()
	require.Equal(t, wrapped{stamped{at, 7}, "x"}, roundTrip(t, wrapped{stamped{at, 7}, "x"}))
	c, err := valueCodec[wrapped]()
	require.NoError(t, err)
	v, err := c.decoder()(c.encoder()(nil, wrapped{stamped{at, 7}, "x"}))
	require.NoError(t, err)
	require.Equal(t, wrapped{stamped{at, 7}, "x"}, v)
	text, err := textFormat[wrapped]("|")
	require.NoError(t, err)
	b, err := text(nil, &wrapped{stamped{at, 7}, "x"})
	require.NoError(t, err)
	require.Equal(t, "2023-11-14T22:13:20.000000005Z|7|x", string(b))
	own, err := valueCodec[ownWay]()
	require.NoError(t, err)
	require.Equal(t, "\x05abc", string(own.encoder()(nil, ownWay{mark{"abc"}, 5})))
}

func TestEqualFloatsAreOneKey(t *testing.T) {
	type place struct{ Lat, Lon float64 }
	c, err := keyCodec[place](false, "")
	require.NoError(t, err)
	encode := c.encoder()
	zero := math.Copysign(0, -1)
	require.Equal(t, encode(nil, place{0, 0}), encode(nil, place{zero, zero}))
	require.Equal(t, encode(nil, place{math.NaN(), 1}), encode(nil, place{math.Float64frombits(0xfff0000000000123), 1}))
	single, err := keyCodec[float32](false, "")
	require.NoError(t, err)
	require.Equal(t, single.encoder()(nil, float32(math.NaN())), single.encoder()(nil, math.Float32frombits(0xff800123)))
	require.Equal(t, single.encoder()(nil, 0), single.encoder()(nil, float32(zero)))
	v, err := valueCodec[float64]()
	require.NoError(t, err)
	back, err := v.decoder()(v.encoder()(nil, zero))
	require.NoError(t, err)
	require.True(t, math.Signbit(back), "a value keeps its sign")
}

type family struct {
	Name string
	Kids []family
}

type ring struct{ Next [1][]struct{ Up []ring } }

// growing marshals itself and adds what it reads to what it has.
type growing struct{ members []byte }

func (g growing) MarshalBinary() ([]byte, error) { return g.members, nil }

func (g *growing) UnmarshalBinary(b []byte) error {
	g.members = append(g.members, b...)
	return nil
}

func TestRefusedTypesNameTheField(t *testing.T) {
	for want, err := range map[string]error{
		"value type mapreduce.family: field Kids[]: unsupported type mapreduce.family: it contains itself":     second(valueCodec[family]()),
		"field Next[][].Up[]: unsupported type mapreduce.ring: it contains itself":                             second(valueCodec[ring]()),
		"field Second.Next[][].Up[]: unsupported type mapreduce.ring":                                          second(keyCodec[Pair[int, ring]](true, "")),
		"output type mapreduce.family: field Kids[]: unsupported type mapreduce.family":                        second(textFormat[family]("")),
		"unsupported type *int: use int itself":                                                                second(keyCodec[*int](false, "")),
		"field Second: unsupported type big.Rat: how its values are ordered is hidden in fields such as a":     second(keyCodec[Pair[int, big.Rat]](false, "")),
		"unsupported type atomic.Int64: how its values are ordered":                                            second(keyCodec[atomic.Int64](false, "")),
		"unsupported type [131072]int: arrays have at most 65536 elements":                                     second(valueCodec[[1 << 17]int]()),
		"field Kids[]: unsupported type mapreduce.family: it contains itself; give it MarshalBinary and Unmar": bindTree(),
	} {
		require.ErrorIs(t, err, ErrUnsupportedType)
		require.ErrorContains(t, err, want)
	}
	_, err := valueCodec[big.Rat]()
	require.NoError(t, err, "a value is not ordered")
	_, err = keyCodec[struct{ a, b string }](false, callerPackage(1))
	require.NoError(t, err)
	require.Equal(t, "github.com/tarry-mr/tarry/mapreduce", callerPackage(1))
}

func bindTree() error {
	_, err := Job[[]byte, string, family, string]{Map: nothing[string, family], Reduce: ignore[string, family, string]}.
		Bind(Lines(), Text[string](Writer("-", io.Discard)))
	return err
}

// TestDecodedValuesShareNothing states that an UnmarshalBinary that adds to what it
// finds begins with nothing, in every place a value can stand, and that earlier
// values stay what they were.
func TestDecodedValuesShareNothing(t *testing.T) {
	type nested struct {
		G    growing
		List []growing
		Two  [2]growing
		In   Pair[string, growing]
	}
	one := func(s string) growing { return growing{[]byte(s)} }
	value := func(s string) nested {
		return nested{one(s), []growing{one(s)}, [2]growing{one(s), one(s)}, MakePair(s, one(s))}
	}
	c, err := valueCodec[nested]()
	require.NoError(t, err)
	encode, decode := c.encoder(), c.decoder()
	var kept []nested
	for _, s := range []string{"abc", "d", "", "efgh"} {
		v, err := decode(encode(nil, value(s)))
		require.NoError(t, err)
		kept = append(kept, v)
	}
	for i, s := range []string{"abc", "d", "", "efgh"} {
		require.Equal(t, encode(nil, value(s)), encode(nil, kept[i]))
		require.True(t, bytes.Equal([]byte(s), kept[i].G.members))
	}

	var out Collected[growing]
	p, err := MapOnly[string, growing]{Map: func(s string, emit func(growing)) error {
		emit(one(s))
		return nil
	}}.Bind(Slice([]string{"1", "2", "3", "4"}), out.Output())
	require.NoError(t, err)
	runEngine(t, p, 0, nil, Resources{})
	got, err := out.Records()
	require.NoError(t, err)
	require.Equal(t, []growing{one("1"), one("2"), one("3"), one("4")}, got)
}
