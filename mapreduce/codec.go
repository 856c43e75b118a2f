package mapreduce

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// ErrUnsupportedType is wrapped by errors of Bind about a type that cannot be a
// key, value or record.
var ErrUnsupportedType = errors.New("unsupported type")

// errEncoding says that bytes are not the encoding of a value.
var errEncoding = errors.New("mapreduce: malformed encoding")

// codec turns values of one type into bytes whose order is the order of the
// values, and back:
//
//	bool, integers   big-endian, the sign bit of signed ones flipped
//	floats           IEEE bits, all flipped if negative, else the sign bit
//	string, []byte   as they are at the end of an encoding; before other
//	                 fields 0x00 becomes 0x00 0xff and 0x00 0x01 ends it
//	slices           0x01 and the element for each, 0x00 at the end
//	arrays, structs  their elements, in order
//	marshaled types  as []byte
//
// The functions take pointers so that they are built once, at Bind, and cost no
// allocation a record.
type codec struct {
	encode func(dst []byte, p unsafe.Pointer) []byte
	// decode reads a value from the head of src and returns the rest. Byte
	// slices alias src where they can.
	decode func(src []byte, p unsafe.Pointer) ([]byte, error)
	raw    bool // the encoding is the bytes of a string or []byte
	open   bool // the value takes all of src: only at the end of an encoding
	fields []fieldCodec
}

type fieldCodec struct {
	*codec
	offset uintptr
}

// marshalError is panicked with by encode when a user's marshaler fails; catch
// turns it into an ordinary error.
type marshalError struct{ err error }

var (
	marshalerType   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshalerType = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// codecOf returns the codec of t. last says that nothing follows the value.
func codecOf(t reflect.Type, last bool) (*codec, error) {
	if reflect.PointerTo(t).Implements(marshalerType) && reflect.PointerTo(t).Implements(unmarshalerType) {
		return marshalCodec(t, last), nil
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Uint8:
		return byteCodec(0), nil
	case reflect.Int8:
		return byteCodec(0x80), nil
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integerCodec(t), nil
	case reflect.Float32, reflect.Float64:
		return floatCodec(t), nil
	case reflect.String:
		return stringCodec(last), nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return bytesCodec(last), nil
		}
		return sliceCodec(t)
	case reflect.Array:
		return arrayCodec(t, last)
	case reflect.Struct:
		return structCodec(t, last)
	default:
		return nil, fmt.Errorf("%w %s", ErrUnsupportedType, t)
	}
}

func byteCodec(flip byte) *codec {
	return &codec{
		encode: func(dst []byte, p unsafe.Pointer) []byte { return append(dst, *(*byte)(p)^flip) },
		decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
			if len(src) < 1 {
				return nil, errEncoding
			}
			*(*byte)(p) = src[0] ^ flip
			return src[1:], nil
		},
	}
}

func integerCodec(t reflect.Type) *codec {
	var flip uint64
	if t.Kind() <= reflect.Int64 {
		flip = 1 << (t.Bits() - 1)
	}
	switch t.Size() {
	case 2:
		return wordCodec(2, func(p unsafe.Pointer) uint64 { return uint64(*(*uint16)(p)) ^ flip },
			func(p unsafe.Pointer, x uint64) { *(*uint16)(p) = uint16(x ^ flip) })
	case 4:
		return wordCodec(4, func(p unsafe.Pointer) uint64 { return uint64(*(*uint32)(p)) ^ flip },
			func(p unsafe.Pointer, x uint64) { *(*uint32)(p) = uint32(x ^ flip) })
	default:
		return wordCodec(8, func(p unsafe.Pointer) uint64 { return *(*uint64)(p) ^ flip },
			func(p unsafe.Pointer, x uint64) { *(*uint64)(p) = x ^ flip })
	}
}

// wordCodec stores the low n bytes of a number, big-endian.
func wordCodec(n int, load func(unsafe.Pointer) uint64, store func(unsafe.Pointer, uint64)) *codec {
	return &codec{
		encode: func(dst []byte, p unsafe.Pointer) []byte {
			var b [8]byte
			binary.BigEndian.PutUint64(b[:], load(p))
			return append(dst, b[8-n:]...)
		},
		decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
			if len(src) < n {
				return nil, errEncoding
			}
			var b [8]byte
			copy(b[8-n:], src[:n])
			store(p, binary.BigEndian.Uint64(b[:]))
			return src[n:], nil
		},
	}
}

// floatCodec orders -Inf < … < -0 < +0 < … < +Inf < NaN: all NaNs become one.
func floatCodec(t reflect.Type) *codec {
	if t.Size() == 4 {
		return wordCodec(4, func(p unsafe.Pointer) uint64 {
			f := *(*float32)(p)
			if f != f {
				f = float32(math.NaN())
			}
			b := math.Float32bits(f)
			return uint64(b ^ (uint32(int32(b)>>31) | 1<<31))
		}, func(p unsafe.Pointer, x uint64) {
			b := uint32(x)
			*(*float32)(p) = math.Float32frombits(b ^ (uint32(int32(^b)>>31) | 1<<31))
		})
	}
	return wordCodec(8, func(p unsafe.Pointer) uint64 { return floatBits(*(*float64)(p)) },
		func(p unsafe.Pointer, x uint64) { *(*float64)(p) = bitsFloat(x) })
}

func floatBits(f float64) uint64 {
	if f != f {
		f = math.NaN()
	}
	b := math.Float64bits(f)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

func bitsFloat(b uint64) float64 {
	return math.Float64frombits(b ^ (uint64(int64(^b)>>63) | 1<<63))
}

func stringCodec(last bool) *codec {
	if last {
		return &codec{
			raw: true, open: true,
			encode: func(dst []byte, p unsafe.Pointer) []byte { return append(dst, *(*string)(p)...) },
			decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
				*(*string)(p) = string(src)
				return nil, nil
			},
		}
	}
	return &codec{
		encode: func(dst []byte, p unsafe.Pointer) []byte {
			s := *(*string)(p)
			return appendEscaped(dst, unsafe.Slice(unsafe.StringData(s), len(s)))
		},
		decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
			b, rest, err := cutEscaped(src)
			*(*string)(p) = string(b)
			return rest, err
		},
	}
}

func bytesCodec(last bool) *codec {
	if last {
		return &codec{
			raw: true, open: true,
			encode: func(dst []byte, p unsafe.Pointer) []byte { return append(dst, *(*[]byte)(p)...) },
			decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
				*(*[]byte)(p) = slices.Clip(src)
				return nil, nil
			},
		}
	}
	return &codec{
		encode: func(dst []byte, p unsafe.Pointer) []byte { return appendEscaped(dst, *(*[]byte)(p)) },
		decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
			b, rest, err := cutEscaped(src)
			*(*[]byte)(p) = b
			return rest, err
		},
	}
}

func appendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			return append(append(dst, b...), 0, 1)
		}
		dst = append(append(dst, b[:i]...), 0, 0xff)
		b = b[i+1:]
	}
}

// cutEscaped undoes appendEscaped; b aliases src if it has no zero byte.
func cutEscaped(src []byte) (b, rest []byte, err error) {
	copied := false
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], 0)
		if i < 0 || at+i+1 == len(src) {
			return nil, nil, errEncoding
		}
		switch part := src[at : at+i]; {
		case src[at+i+1] == 1 && !copied:
			return part[:i:i], src[at+i+2:], nil
		case src[at+i+1] == 1:
			return append(b, part...), src[at+i+2:], nil
		case src[at+i+1] == 0xff:
			b, copied = append(append(b, part...), 0), true
		default:
			return nil, nil, errEncoding
		}
		at += i + 2
	}
}
