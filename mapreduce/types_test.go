package mapreduce

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

type stamped struct {
	time.Time
	N int
}

type wrapped struct {
	stamped
	Name string
}

// ownWay embeds a type with MarshalBinary, and has a MarshalBinary of its own.
type ownWay struct {
	mark
	N byte
}

func (o ownWay) MarshalBinary() ([]byte, error) { return append([]byte{o.N}, o.text...), nil }

func (o *ownWay) UnmarshalBinary(b []byte) error {
	o.N, o.text = b[0], string(b[1:])
	return nil
}

// A struct that has MarshalBinary only from an embedded field keeps its other fields, as key, value
// and text. A method of its own is used.
func TestEmbeddedMethodsLoseNoFields(t *testing.T) {
	at := time.Unix(1700000000, 5).UTC()
	require.Equal(t, wrapped{stamped{at, 7}, "x"}, encodedAndBack(t, wrapped{stamped{at, 7}, "x"}))
	c := must(codec.Value[wrapped]())(t)
	v := must(c.Decoder()(c.Encoder()(nil, wrapped{stamped{at, 7}, "x"})))(t)
	require.Equal(t, wrapped{stamped{at, 7}, "x"}, v)
	text := must(textFormat(reflect.TypeFor[wrapped](), "|"))(t)
	b := must(text(nil, memory.Of(&wrapped{stamped{at, 7}, "x"})))(t)
	require.Equal(t, "2023-11-14T22:13:20.000000005Z|7|x", string(b))
	own := must(codec.Value[ownWay]())(t)
	require.Equal(t, "\x05abc", string(own.Encoder()(nil, ownWay{mark{"abc"}, 5})))
}

type family struct {
	Name string
	Kids []family
}

type ring struct{ Next [1][]struct{ Up []ring } }

// growing is a type whose UnmarshalBinary appends to the value that it has.
type growing struct{ members []byte }

func (g growing) MarshalBinary() ([]byte, error) { return g.members, nil }

func (g *growing) UnmarshalBinary(b []byte) error {
	g.members = append(g.members, b...)
	return nil
}

func TestRefusedTypesNameTheField(t *testing.T) {
	for want, err := range map[string]error{
		"value type mapreduce.family: field Kids[]: unsupported type mapreduce.family: it contains itself":     errorOf(codec.Value[family]()),
		"field Next[][].Up[]: unsupported type mapreduce.ring: it contains itself":                             errorOf(codec.Value[ring]()),
		"field Second.Next[][].Up[]: unsupported type mapreduce.ring":                                          errorOf(codec.Key[Pair[int, ring]](true, "")),
		"output type mapreduce.family: field Kids[]: unsupported type mapreduce.family":                        errorOf(textFormat(reflect.TypeFor[family](), "")),
		"unsupported type *int: use int itself":                                                                errorOf(codec.Key[*int](false, "")),
		"field Second: unsupported type big.Rat: how its values are ordered is hidden in fields such as a":     errorOf(codec.Key[Pair[int, big.Rat]](false, "")),
		"unsupported type atomic.Int64: how its values are ordered":                                            errorOf(codec.Key[atomic.Int64](false, "")),
		"unsupported type [131072]int: arrays have at most 65536 elements":                                     errorOf(codec.Value[[1 << 17]int]()),
		"field Kids[]: unsupported type mapreduce.family: it contains itself; give it MarshalBinary and Unmar": bindTree(),
	} {
		require.ErrorIs(t, err, codec.ErrUnsupportedType)
		require.ErrorContains(t, err, want)
	}
	_, err := codec.Value[big.Rat]()
	require.NoError(t, err, "a value is not ordered")
	must(codec.Key[struct{ a, b string }](false, codec.CallerPackage(1)))(t)
	require.Equal(t, "github.com/tarry-mr/tarry/mapreduce", codec.CallerPackage(1))
}

func bindTree() error {
	_, err := Job[[]byte, string, family, string]{Map: nothing[string, family], Reduce: ignore[string, family, string]}.
		Bind(Lines(), Text[string](Writer("-", io.Discard)))
	return err
}

// Wherever a value is decoded, UnmarshalBinary starts with an empty value, so that one that appends
// gives the right value and changes no earlier one.
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
	c := must(codec.Value[nested]())(t)
	encode, decode := c.Encoder(), c.Decoder()
	var kept []nested
	for _, s := range []string{"abc", "d", "", "efgh"} {
		v := must(decode(encode(nil, value(s))))(t)
		kept = append(kept, v)
	}
	for i, s := range []string{"abc", "d", "", "efgh"} {
		require.Equal(t, encode(nil, value(s)), encode(nil, kept[i]))
		require.True(t, bytes.Equal([]byte(s), kept[i].G.members))
	}

	var out Collected[growing]
	p := must(MapOnly[string, growing]{Map: func(s string, emit func(growing)) error {
		emit(one(s))
		return nil
	}}.Bind(Slice([]string{"1", "2", "3", "4"}), out.Output()))(t)
	runEngine(t, p, 0, nil, cluster.Resources{})
	require.Equal(t, []growing{one("1"), one("2"), one("3"), one("4")}, must(out.Records())(t))
}

// mark is a type whose encoding methods fail for one value.
type mark struct{ text string }

func (m mark) MarshalBinary() ([]byte, error) {
	if m.text == "bad" {
		return nil, errors.New("bad mark")
	}
	return []byte(m.text), nil
}

func (m *mark) UnmarshalBinary(b []byte) error {
	m.text = string(b)
	return nil
}

// encodedAndBack encodes and decodes a key.
func encodedAndBack[K any](t *testing.T, k K) K {
	t.Helper()
	c := must(codec.Key[K](false, ""))(t)
	back := must(c.Decoder()(c.Encoder()(nil, k)))(t)
	return back
}

// version has no memory, but an encoding.
type version struct{}

func (version) MarshalBinary() ([]byte, error) { return []byte("v1"), nil }

func (*version) UnmarshalBinary(b []byte) error {
	if string(b) != "v1" {
		return errors.New("no version: " + string(b))
	}
	return nil
}

// checkZeroSize checks that a value decodes to itself: as a key, ascending and descending, as a
// value, and as a record of a dataset.
func checkZeroSize[T any](t *testing.T, v T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		check := func(c codec.Typed[T], err error) {
			require.NoError(t, err)
			b := c.Bytes()(memory.Of(&v))
			require.Equal(t, string(c.Encoder()(nil, v)), string(b))
			require.Equal(t, len(b), c.Width(b, map[bool]byte{true: 0xff}[c.Descending]))
			require.Equal(t, v, must(c.Decoder()(b))(t))
		}
		check(codec.Key[T](false, codec.CallerPackage(1)))
		check(codec.Key[T](true, codec.CallerPackage(1)))
		check(codec.Value[T]())
		f := must(kept.NewForm[T]())(t)
		run := must(f.Appender()(nil, memory.Of(&v)))(t)
		seen := 0
		require.NoError(t, f.Each(run, func(rec T, b []byte) error {
			seen++
			require.Equal(t, v, rec)
			require.Equal(t, run, b)
			return nil
		}))
		require.Equal(t, 1, seen)
	})
}

// A type of size zero is encoded by its own methods, if it has any, and otherwise without bytes.
func TestZeroSizeTypes(t *testing.T) {
	checkZeroSize(t, version{})
	checkZeroSize(t, [2]version{})
	checkZeroSize(t, []version{{}, {}})
	checkZeroSize(t, struct {
		Text string
		V    version
	}{Text: "abc"})
	checkZeroSize(t, struct {
		B []byte
		V [1]version
		E None
	}{B: []byte("abc\x00")})
	checkZeroSize(t, struct {
		V    version
		Text string
		E    [0]version
	}{Text: "abc"})
	checkZeroSize(t, struct {
		In struct {
			Text string
			E    None
		}
		V struct{ W version }
	}{})
	checkZeroSize(t, None{})
	checkZeroSize(t, [0]version{})

	for _, c := range []struct {
		of    reflect.Type
		empty bool
	}{
		{reflect.TypeFor[version](), false},
		{reflect.TypeFor[[2]version](), false},
		{reflect.TypeFor[[0]version](), true},
		{reflect.TypeFor[[0]byte](), true},
		{reflect.TypeFor[None](), true},
		{reflect.TypeFor[[3]None](), true},
		{reflect.TypeFor[struct{ V version }](), false},
		{reflect.TypeFor[[]None](), false},
	} {
		codec := must(new(codec.Builder).Of(c.of, true))(t)
		require.Equal(t, c.empty, codec.Empty, c.of)
	}

	type text struct {
		Text string
		E    None
	}
	plain := must(codec.Value[text]())(t)
	require.Equal(t, "abc", string(plain.Encoder()(nil, text{Text: "abc"})), "nothing follows the text, so that it needs no end")
}
