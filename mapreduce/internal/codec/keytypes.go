package codec

import (
	"encoding/binary"
	"math/big"
	"net/netip"
	"reflect"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// keyTypeCodec returns the codec for keys of a standard library type whose fields do not sort like
// its values; nil for all other types.
func keyTypeCodec(t reflect.Type, last bool) *Codec {
	switch t {
	case reflect.TypeFor[time.Time]():
		return timeCodec()
	case reflect.TypeFor[big.Int]():
		return bigIntCodec()
	case reflect.TypeFor[netip.Addr]():
		return addrCodec(last)
	}
	return nil
}

// unixZero is the Unix time of the zero [time.Time], in seconds.
const unixZero = -62135596800

// timeCodec returns the codec of times: seconds since year 1, then nanoseconds. It decodes to UTC,
// so an instant has one encoding in all zones.
func timeCodec() *Codec {
	return &Codec{
		Width: fixedWidth(12),
		Encode: func(dst []byte, p memory.Pointer) []byte {
			t := memory.To[time.Time](p)
			dst = binary.BigEndian.AppendUint64(dst, uint64(t.Unix()-unixZero)^1<<63)
			return binary.BigEndian.AppendUint32(dst, uint32(t.Nanosecond()))
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < 12 {
				return nil, ErrMalformed
			}
			sec := int64(binary.BigEndian.Uint64(src)^1<<63) + unixZero
			*memory.To[time.Time](p) = time.Unix(sec, int64(binary.BigEndian.Uint32(src[8:]))).UTC()
			return src[12:], nil
		},
	}
}

// bigIntCodec returns the codec of big.Int: sign, length and bytes of the magnitude, so that
// encodings sort like numbers. In negative numbers the bits of length and magnitude are flipped,
// since there the larger magnitude comes first.
func bigIntCodec() *Codec {
	const head = 9
	return &Codec{
		Width: func(src []byte, mark byte) int {
			if len(src) < head {
				return len(src)
			}
			n, _ := bigIntHead(src, mark)
			return head + int(min(n, uint64(len(src))))
		},
		Encode: func(dst []byte, p memory.Pointer) []byte {
			x := memory.To[big.Int](p)
			at := len(dst)
			n := (x.BitLen() + 7) / 8
			dst = append(dst, byte(x.Sign()+1))
			dst = binary.BigEndian.AppendUint64(dst, uint64(n))
			dst = append(dst, make([]byte, n)...)
			x.FillBytes(dst[at+head:])
			if x.Sign() < 0 {
				flip(dst[at+1:])
			}
			return dst
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < head || src[0] > 2 {
				return nil, ErrMalformed
			}
			n, neg := bigIntHead(src, 0)
			if n > uint64(len(src)-head) {
				return nil, ErrMalformed
			}
			magnitude := append([]byte(nil), src[head:head+int(n)]...)
			var x big.Int
			if neg {
				flip(magnitude)
			}
			if x.SetBytes(magnitude); neg {
				x.Neg(&x)
			}
			*memory.To[big.Int](p) = x
			return src[head+int(n):], nil
		},
	}
}

// bigIntHead returns the length of an encoded big.Int's magnitude, and its sign. All bytes of src
// have been flipped with mark, which is 0xff for descending keys, otherwise 0.
func bigIntHead(src []byte, mark byte) (n uint64, negative bool) {
	n = binary.BigEndian.Uint64(src[1:])
	negative = src[0] == mark
	if negative != (mark != 0) {
		n = ^n
	}
	return n, negative
}

// addrCodec returns the codec of netip.Addr, in the order of Compare: the length, then the bytes
// and the zone.
func addrCodec(last bool) *Codec {
	text := marshalCodec(reflect.TypeFor[netip.Addr](), last)
	return &Codec{
		Open:  last,
		Width: func(src []byte, mark byte) int { return 1 + text.Width(src[min(1, len(src)):], mark) },
		Encode: func(dst []byte, p memory.Pointer) []byte {
			return text.Encode(append(dst, byte(memory.To[netip.Addr](p).BitLen())), p)
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) < 1 {
				return nil, ErrMalformed
			}
			return text.Decode(src[1:], p)
		},
	}
}
