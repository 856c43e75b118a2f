package codec

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// fixedWidth returns a Codec.Width for encodings that all have n bytes.
func fixedWidth(n int) func([]byte, byte) int { return func([]byte, byte) int { return n } }

func byteCodec(flip byte) *Codec {
	return &Codec{
		plain: plainByte, flip: uint64(flip),
		Width:  fixedWidth(1),
		Encode: func(dst []byte, p memory.Pointer) []byte { return append(dst, *memory.To[byte](p)^flip) },
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < 1 {
				return nil, ErrMalformed
			}
			*memory.To[byte](p) = src[0] ^ flip
			return src[1:], nil
		},
	}
}

func integerCodec(t reflect.Type) *Codec {
	flip := IntegerFlip(t)
	switch t.Size() {
	case 2:
		return wordCodec(2, func(p memory.Pointer) uint64 { return uint64(*memory.To[uint16](p)) ^ flip },
			func(p memory.Pointer, x uint64) { *memory.To[uint16](p) = uint16(x ^ flip) })
	case 4:
		return int32Codec(uint32(flip))
	default:
		return int64Codec(flip)
	}
}

// int32Codec returns the codec of 4-byte integers, without inner calls, since most keys of jobs in
// memory are of this kind.
func int32Codec(flip uint32) *Codec {
	return &Codec{
		Width: fixedWidth(4),
		Encode: func(dst []byte, p memory.Pointer) []byte {
			return binary.BigEndian.AppendUint32(dst, *memory.To[uint32](p)^flip)
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < 4 {
				return nil, ErrMalformed
			}
			*memory.To[uint32](p) = binary.BigEndian.Uint32(src) ^ flip
			return src[4:], nil
		},
	}
}

// int64Codec returns the codec of 8-byte integers.
func int64Codec(flip uint64) *Codec {
	return &Codec{
		plain: plainWord, flip: flip,
		Width: fixedWidth(8),
		Encode: func(dst []byte, p memory.Pointer) []byte {
			return binary.BigEndian.AppendUint64(dst, *memory.To[uint64](p)^flip)
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < 8 {
				return nil, ErrMalformed
			}
			*memory.To[uint64](p) = binary.BigEndian.Uint64(src) ^ flip
			return src[8:], nil
		},
	}
}

// wordCodec returns the codec of numbers of n bytes, big-endian; load and store access the value.
func wordCodec(n int, load func(memory.Pointer) uint64, store func(memory.Pointer, uint64)) *Codec {
	return &Codec{
		Width: fixedWidth(n),
		Encode: func(dst []byte, p memory.Pointer) []byte {
			var b [8]byte
			binary.BigEndian.PutUint64(b[:], load(p))
			return append(dst, b[8-n:]...)
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < n {
				return nil, ErrMalformed
			}
			var b [8]byte
			copy(b[8-n:], src[:n])
			store(p, binary.BigEndian.Uint64(b[:]))
			return src[n:], nil
		},
	}
}

// floatCodec returns the codec of floats, in the order -Inf < 0 < +Inf < NaN. In a key, -0 becomes
// 0 and all NaNs become one, so that equal keys have equal bytes; a value keeps its bits.
func floatCodec(t reflect.Type, key bool) *Codec {
	if t.Size() == 4 {
		return wordCodec(4, func(p memory.Pointer) uint64 {
			f := *memory.To[float32](p)
			if key && f != f {
				f = float32(math.NaN())
			} else if key && f == 0 {
				f = 0
			}
			b := math.Float32bits(f)
			return uint64(b ^ (uint32(int32(b)>>31) | 1<<31))
		}, func(p memory.Pointer, x uint64) {
			b := uint32(x)
			*memory.To[float32](p) = math.Float32frombits(b ^ (uint32(int32(^b)>>31) | 1<<31))
		})
	}
	return wordCodec(8, func(p memory.Pointer) uint64 {
		f := *memory.To[float64](p)
		if key && f != f {
			f = math.NaN()
		} else if key && f == 0 {
			f = 0
		}
		b := math.Float64bits(f)
		return b ^ (uint64(int64(b)>>63) | 1<<63)
	}, func(p memory.Pointer, b uint64) {
		*memory.To[float64](p) = math.Float64frombits(b ^ (uint64(int64(^b)>>63) | 1<<63))
	})
}
