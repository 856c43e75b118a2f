package codec

import (
	"bytes"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// textCodec returns the codec of strings or byte slices S. If last is set, nothing follows a value,
// so its end needs no mark.
func textCodec[S string | []byte](last bool, plain plainKind) *Codec {
	if last {
		return &Codec{
			Raw: true, Open: true, plain: plain, Width: restWidth,
			Encode: func(dst []byte, p memory.Pointer) []byte { return append(dst, *memory.To[S](p)...) },
			Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
				*memory.To[S](p) = S(slices.Clip(src))
				return nil, nil
			},
		}
	}
	return &Codec{
		Width: escapedWidth,
		Encode: func(dst []byte, p memory.Pointer) []byte {
			n, first := p.List()
			return appendEscaped(dst, first.Memory(uintptr(n)))
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			b, rest, err := cutEscaped(src)
			*memory.To[S](p) = S(b)
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

// cutEscaped returns what appendEscaped encoded, and the rest; b aliases src if it has no zero
// byte.
func cutEscaped(src []byte) (b, rest []byte, err error) {
	copied := false
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], 0)
		if i < 0 || at+i+1 == len(src) {
			return nil, nil, ErrMalformed
		}
		switch part := src[at : at+i]; {
		case src[at+i+1] == 1 && !copied:
			return part[:i:i], src[at+i+2:], nil
		case src[at+i+1] == 1:
			return append(b, part...), src[at+i+2:], nil
		case src[at+i+1] == 0xff:
			b, copied = append(append(b, part...), 0), true
		default:
			return nil, nil, ErrMalformed
		}
		at += i + 2
	}
}

// restWidth is the Codec.Width of values that take all of src, at the end of an encoding.
func restWidth(src []byte, _ byte) int { return len(src) }

// escapedWidth is the Codec.Width of strings and byte slices that appendEscaped encodes.
func escapedWidth(src []byte, mark byte) int {
	for at := 0; ; at += 2 {
		i := bytes.IndexByte(src[at:], mark)
		if i < 0 || at+i+1 == len(src) {
			return len(src)
		}
		if at += i; src[at+1] == 1^mark {
			return at + 2
		}
	}
}
