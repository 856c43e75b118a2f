package codec

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pair is a struct such as mapreduce.Pair.
type pair[A, B any] struct {
	First  A
	Second B
}

func makePair[A, B any](a A, b B) pair[A, B] { return pair[A, B]{First: a, Second: b} }

// compareFloats compares as keys do: NaN is after all numbers, and 0 equals -0.
func compareFloats(a, b float64) int {
	if a != a || b != b {
		return cmp.Compare(b2i(a != a), b2i(b != b))
	}
	return cmp.Compare(a, b)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// checkKeys checks a type's key codec, ascending and descending: encodings compare as the values
// do, and decode to them.
func checkKeys[K any](t *testing.T, name string, gen *rapid.Generator[K], compare func(a, b K) int) {
	t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		for _, descending := range []bool{false, true} {
			c := must(Key[K](descending))(t)
			encode, decode := c.Encoder(), c.Decoder()
			x, y := encode(nil, a), encode([]byte{7}, b)[1:]
			want := compare(a, b)
			if descending {
				want = -want
			}
			require.Equal(t, want, bytes.Compare(x, y), "%v %v: % x % x", a, b, x, y)
			back := must(decode(x))(t)
			require.Zero(t, compare(a, back), "%v became %v", a, back)
		}
	}))
}

func TestKeyOrderIsValueOrder(t *testing.T) {
	checkKeys(t, "int", rapid.Int(), cmp.Compare[int])
	checkKeys(t, "int8", rapid.Int8(), cmp.Compare[int8])
	checkKeys(t, "int16", rapid.Int16(), cmp.Compare[int16])
	checkKeys(t, "int32", rapid.Int32(), cmp.Compare[int32])
	checkKeys(t, "int64", rapid.Int64(), cmp.Compare[int64])
	checkKeys(t, "uint", rapid.Uint(), cmp.Compare[uint])
	checkKeys(t, "uint8", rapid.Uint8(), cmp.Compare[uint8])
	checkKeys(t, "uint16", rapid.Uint16(), cmp.Compare[uint16])
	checkKeys(t, "uint32", rapid.Uint32(), cmp.Compare[uint32])
	checkKeys(t, "uint64", rapid.Uint64(), cmp.Compare[uint64])
	checkKeys(t, "bool", rapid.Bool(), func(a, b bool) int { return cmp.Compare(b2i(a), b2i(b)) })
	checkKeys(t, "string", rapid.String(), cmp.Compare[string])
	checkKeys(t, "bytes", shortBytes(), bytes.Compare)
	special := rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1})
	checkKeys(t, "float64", rapid.OneOf(rapid.Float64(), special), compareFloats)
	checkKeys(t, "float32", rapid.OneOf(rapid.Float32(),
		rapid.Map(special, func(f float64) float32 { return float32(f) })),
		func(a, b float32) int { return compareFloats(float64(a), float64(b)) })
}

// shortBytes draws byte slices of mostly 0, 1 and 0xff, which encodings escape.
func shortBytes() *rapid.Generator[[]byte] {
	return rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 'a', 0xfe, 0xff}), 0, 4)
}

type composite struct {
	Flag  bool
	Text  string
	Inner pair[int16, []byte]
	Last  string
	_     int
	Empty struct{}
}

type label struct{ text string }

func (m label) MarshalBinary() ([]byte, error) {
	if m.text == "bad" {
		return nil, errors.New("bad label")
	}
	return []byte(m.text), nil
}

func (m *label) UnmarshalBinary(b []byte) error {
	m.text = string(b)
	return nil
}

type plainFields struct {
	Small int8
	Large int64
	Byte  byte
	Last  []byte
}

func TestCompositeKeyOrderIsFieldOrder(t *testing.T) {
	text := rapid.Map(shortBytes(), func(b []byte) string { return string(b) })
	checkKeys(t, "pair", rapid.Custom(func(t *rapid.T) pair[string, string] {
		return makePair(text.Draw(t, "first"), text.Draw(t, "second"))
	}), func(a, b pair[string, string]) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	checkKeys(t, "struct", rapid.Custom(func(t *rapid.T) composite {
		return composite{
			Flag: rapid.Bool().Draw(t, "flag"), Text: text.Draw(t, "text"),
			Inner: makePair(rapid.Int16Range(-1, 1).Draw(t, "n"), shortBytes().Draw(t, "b")), Last: text.Draw(t,
				"last"),
		}
	}), func(a, b composite) int {
		return cmp.Or(cmp.Compare(b2i(a.Flag), b2i(b.Flag)), cmp.Compare(a.Text, b.Text),
			cmp.Compare(a.Inner.First, b.Inner.First),
			bytes.Compare(a.Inner.Second, b.Inner.Second), cmp.Compare(a.Last, b.Last))
	})
	checkKeys(t, "plain fields", rapid.Custom(func(t *rapid.T) plainFields {
		return plainFields{
			Small: rapid.Int8Range(-1, 1).Draw(t, "small"), Large: rapid.Int64Range(-1, 1).Draw(t, "large"),
			Byte: rapid.ByteRange(0, 1).Draw(t, "byte"), Last: shortBytes().Draw(t, "last"),
		}
	}), func(a, b plainFields) int {
		return cmp.Or(cmp.Compare(a.Small, b.Small), cmp.Compare(a.Large, b.Large), cmp.Compare(a.Byte, b.Byte),
			bytes.Compare(a.Last, b.Last))
	})
	checkKeys(t, "array", rapid.Custom(func(t *rapid.T) [2]string {
		return [2]string{text.Draw(t, "0"), text.Draw(t, "1")}
	}), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	checkKeys(t, "byte array", rapid.Custom(func(t *rapid.T) [3]byte {
		return [3]byte(rapid.SliceOfN(rapid.Byte(), 3, 3).Draw(t, "b"))
	}), func(a, b [3]byte) int { return bytes.Compare(a[:], b[:]) })
	checkKeys(t, "slice", rapid.SliceOfN(text, 0, 3), slices.Compare[[]string])
	checkKeys(t, "marshaler", rapid.Map(text, func(s string) label { return label{s} }),
		func(a, b label) int { return cmp.Compare(a.text, b.text) })
	checkKeys(t, "pair of marshalers", rapid.Custom(func(t *rapid.T) pair[label, label] {
		return makePair(label{text.Draw(t, "first")}, label{text.Draw(t, "second")})
	}), func(a, b pair[label, label]) int {
		return cmp.Or(cmp.Compare(a.First.text, b.First.text), cmp.Compare(a.Second.text, b.Second.text))
	})
}

func TestPrefixLen(t *testing.T) {
	for _, descending := range []bool{false, true} {
		c := must(Key[pair[string, int32]](descending))(t)
		prefix := must(PrefixLen(c.Placed, 1))(t)
		encode := c.Encoder()
		a, b := encode(nil, makePair("x\x00", int32(1))), encode(nil, makePair("x\x00", int32(2)))
		require.Len(t, a, 9)
		require.Equal(t, 5, prefix(a))
		require.Equal(t, a[:5], b[:prefix(b)])
		_, err := PrefixLen(c.Placed, 3)
		require.ErrorContains(t, err, "has 2 fields")
	}
}

func TestDecodeRefusesOtherBytes(t *testing.T) {
	refuses := func(b []byte, decode func([]byte) error) {
		require.ErrorIs(t, decode(b), ErrMalformed, "% x", b)
	}
	for _, b := range [][]byte{{}, {1}, {0, 0, 0}, make([]byte, 9)} {
		refuses(b, decodeErr[int64](t))
	}
	refuses([]byte{'a'}, decodeErr[pair[string, int8]](t))
	refuses([]byte{'a', 0}, decodeErr[pair[string, int8]](t))
	refuses([]byte{'a', 0, 2, 1}, decodeErr[pair[string, int8]](t))
	refuses([]byte{'a', 0, 1}, decodeErr[pair[string, int8]](t))
	refuses([]byte{1, 9}, decodeErr[[]int8](t))
	refuses([]byte{2}, decodeErr[[]int8](t))
	refuses([]byte{1, 2}, decodeErr[[3]byte](t))
	refuses([]byte{1, 2}, decodeErr[bool](t))
}

func decodeErr[V any](t *testing.T) func([]byte) error {
	c := must(Value[V]())(t)
	decode := c.Decoder()
	return func(b []byte) error { _, err := decode(b); return err }
}

func TestEncodeDoesNotAllocate(t *testing.T) {
	c := must(Key[pair[string, int64]](false))(t)
	encode, buf := c.Encoder(), make([]byte, 0, 64)
	k := makePair("some text", int64(9))
	require.Zero(t, testing.AllocsPerRun(100, func() { buf = encode(buf[:0], k) }))
	require.Equal(t, uint64(9)|1<<63, binary.BigEndian.Uint64(buf[11:]))
	require.True(t, strings.HasPrefix(string(buf), "some text\x00\x01"))
}

// Any bytes make the decoder return an error or a value, and not panic. A value, encoded again,
// decodes to itself.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01a\x00\x01\x80\x00b\x00\x01c"))
	f.Add([]byte("\x01a\x00\xff\x00\x01\x01\x80\x00\x00\x00\x00\x00\x00\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzDecode[composite](t, b)
		fuzzDecode[pair[string, []int]](t, b)
		fuzzDecode[[]pair[[]byte, float32]](t, b)
		fuzzDecode[[2]string](t, b)
	})
}

func fuzzDecode[V any](t *testing.T, b []byte) {
	c := must(Key[V](false))(t)
	decode, encode := c.Decoder(), c.Encoder()
	v, err := decode(bytes.Clone(b))
	if err != nil {
		return
	}
	first := encode(nil, v)
	require.Equal(t, first, encode(nil, must(decode(bytes.Clone(first)))(t)))
}

// An escaped field ends at its end mark. Damaged bytes without an end mark are one field to their
// end.
func TestEscapedWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for label, end := range map[byte]byte{0: 1, 0xff: 0xfe} {
			src := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0xfe, 0xff, 'a'}), 0, 9).Draw(t, "src")
			want := len(src)
			for i := 0; i+1 < len(src); i++ {
				if src[i] == label {
					if src[i+1] == end {
						want = i + 2
						break
					}
					i++ // the label itself, escaped
				}
			}
			require.Equal(t, want, escapedWidth(src, label), "% x", src)
		}
	})
}

// must returns the result of a call; an error of the call ends the test.
func must[T any](result T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T { require.NoError(t, err); return result }
}
