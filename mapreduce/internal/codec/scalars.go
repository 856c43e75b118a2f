package codec

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// fixedWidth returns a Codec.Width for encodings that all have n bytes.
func fixedWidth(n int) func([]byte, byte) int { return func([]byte, byte) int { return n } }

// word is the memory of a number.
type word interface {
	uint8 | uint16 | uint32 | uint64
}

// appendWord appends x, big-endian. Its code for each type has no branches.
func appendWord[W word](dst []byte, x W) []byte {
	switch memory.SizeOf[W]() {
	case 1:
		return append(dst, byte(x))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(x))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(x))
	default:
		return binary.BigEndian.AppendUint64(dst, uint64(x))
	}
}

// wordAt returns what appendWord has written at the start of b, which is long enough.
func wordAt[W word](b []byte) W {
	switch memory.SizeOf[W]() {
	case 1:
		return W(b[0])
	case 2:
		return W(binary.BigEndian.Uint16(b))
	case 4:
		return W(binary.BigEndian.Uint32(b))
	default:
		return W(binary.BigEndian.Uint64(b))
	}
}

// integerCodec returns the codec of bools and integers of type t.
func integerCodec(t reflect.Type) *Codec {
	switch flip := IntegerFlip(t); t.Size() {
	case 1:
		return flippedCodec(uint8(flip), plainByte)
	case 2:
		return flippedCodec(uint16(flip), notPlain)
	case 4:
		return flippedCodec(uint32(flip), notPlain)
	default:
		return flippedCodec(flip, plainWord)
	}
}

// flippedCodec returns the codec of integers as large as W, without inner calls, since most keys of
// jobs in memory are of this kind. Inlined into integerCodec, its functions would make such calls.
//
//go:noinline
func flippedCodec[W word](flip W, plain plainKind) *Codec {
	size := int(memory.SizeOf[W]())
	return &Codec{
		plain: plain, flip: uint64(flip),
		Width:  fixedWidth(size),
		Encode: func(dst []byte, p memory.Pointer) []byte { return appendWord(dst, *memory.To[W](p)^flip) },
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < size {
				return nil, ErrMalformed
			}
			*memory.To[W](p) = wordAt[W](src) ^ flip
			return src[size:], nil
		},
	}
}

// floatCodec returns the codec of floats of type t, in the order -Inf < 0 < +Inf < NaN. In a key,
// -0 becomes 0 and all NaNs become one, so that equal keys have equal bytes; a value keeps its
// bits.
func floatCodec(t reflect.Type, key bool) *Codec {
	if t.Size() == 4 {
		return orderedCodec[float32](key, math.Float32bits(float32(math.NaN())))
	}
	return orderedCodec[float64](key, math.Float64bits(math.NaN()))
}

// orderedCodec returns the codec of floats F with bits W; nan is the NaN of keys.
func orderedCodec[F float32 | float64, W uint32 | uint64](key bool, nan W) *Codec {
	size := int(memory.SizeOf[W]())
	sign := W(1) << (8*size - 1)
	return &Codec{
		Width: fixedWidth(size),
		Encode: func(dst []byte, p memory.Pointer) []byte {
			b := *memory.To[W](p)
			if f := *memory.To[F](p); key && f != f {
				b = nan
			} else if key && f == 0 {
				b = 0
			}
			if b&sign != 0 {
				return appendWord(dst, ^b)
			}
			return appendWord(dst, b|sign)
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < size {
				return nil, ErrMalformed
			}
			b := wordAt[W](src)
			if b&sign != 0 {
				b &^= sign
			} else {
				b = ^b
			}
			*memory.To[W](p) = b
			return src[size:], nil
		},
	}
}
