package mapreduce

import (
	"errors"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
)

// version has no memory, but an encoding.
type version struct{}

func (version) MarshalBinary() ([]byte, error) { return []byte("v1"), nil }

func (*version) UnmarshalBinary(b []byte) error {
	if string(b) != "v1" {
		return errors.New("no version: " + string(b))
	}
	return nil
}

// checkZeroSize checks that a value can be read back as a key, ascending and descending, as a
// value, and as a kept record.
func checkZeroSize[T any](t *testing.T, v T) {
	t.Run(reflect.TypeFor[T]().String(), func(t *testing.T) {
		check := func(c codec.Typed[T], err error) {
			require.NoError(t, err)
			b := c.Bytes()(unsafe.Pointer(&v))
			require.Equal(t, string(c.Encoder()(nil, v)), string(b))
			require.Equal(t, len(b), c.Width(b, map[bool]byte{true: 0xff}[c.Descending]))
			require.Equal(t, v, must(c.Decoder()(b))(t))
		}
		check(codec.Key[T](false, codec.CallerPackage(1)))
		check(codec.Key[T](true, codec.CallerPackage(1)))
		check(codec.Value[T]())
		f := must(kept.NewForm[T]())(t)
		run := must(f.Appender()(nil, unsafe.Pointer(&v)))(t)
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

// Types of size zero may have their own encoding; others take no bytes.
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
