package mapreduce_test

import (
	"io"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
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
	v := wrapped{stamped{at, 7}, "x"}
	for _, c := range []codec.Typed[wrapped]{must(codec.Key[wrapped](false))(t), must(codec.Value[wrapped]())(t)} {
		require.Equal(t, v, must(c.Decoder()(c.Encoder()(nil, v)))(t))
	}
	require.Equal(t, "2023-11-14T22:13:20.000000005Z\t7\tx\n", written(t, Text[wrapped], v))
	own := must(codec.Value[ownWay]())(t)
	require.Equal(t, "\x05abc", string(own.Encoder()(nil, ownWay{mark{"abc"}, 5})))
}

type family struct {
	Name string
	Kids []family
}

type ring struct{ Next [1][]struct{ Up []ring } }

func TestRefusedTypesNameTheField(t *testing.T) {
	for want, err := range map[string]error{
		"value type mapreduce_test.family: field Kids[]: unsupported type mapreduce_test.family: it contains itself": errorOf(codec.Value[family]()),
		"field Next[][].Up[]: unsupported type mapreduce_test.ring: it contains itself":                              errorOf(codec.Value[ring]()),
		"field Second.Next[][].Up[]: unsupported type mapreduce_test.ring":                                           errorOf(codec.Key[Pair[int, ring]](true)),
		"output type mapreduce_test.family: field Kids[]: unsupported type mapreduce_test.family":                    errorOf(passOn[family]().Bind(Slice([]family{{}}), Text[family](Dir("x")))),
		"unsupported type *int: use int itself":                                                                      errorOf(codec.Key[*int](false)),
		"unsupported type map[string]int":                                                                            errorOf(codec.Key[map[string]int](false)),
		"unsupported type interface {}":                                                                              errorOf(codec.Value[any]()),
		"unsupported type complex128":                                                                                errorOf(codec.Value[complex128]()),
		"field C: unsupported type chan int":                                                                         errorOf(codec.Value[struct{ C chan int }]()),
		"field Second: unsupported type big.Rat: how its values are ordered is hidden in fields such as a":           errorOf(codec.Key[Pair[int, big.Rat]](false)),
		"unsupported type atomic.Int64: how its values are ordered":                                                  errorOf(codec.Key[atomic.Int64](false)),
		"unsupported type [131072]int: arrays have at most 65536 elements":                                           errorOf(codec.Value[[1 << 17]int]()),
		"field Kids[]: unsupported type mapreduce_test.family: it contains itself; give it MarshalBinary and Unmar":  bindTree(),
	} {
		require.ErrorIs(t, err, codec.ErrUnsupportedType)
		require.ErrorContains(t, err, want)
	}
	_, err := codec.Value[big.Rat]()
	require.NoError(t, err, "a value is not ordered")
}

func bindTree() error {
	_, err := Job[[]byte, string, family, string]{Map: nothing[string, family], Reduce: ignore[string, family, string]}.
		Bind(Lines(), Text[string](Writer("-", io.Discard)))
	return err
}

// mark is a type with an encoding of its own.
type mark struct{ text string }

func (m mark) MarshalBinary() ([]byte, error) { return []byte(m.text), nil }

func (m *mark) UnmarshalBinary(b []byte) error {
	m.text = string(b)
	return nil
}
