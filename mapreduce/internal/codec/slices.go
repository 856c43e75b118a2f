package codec

import (
	"encoding/binary"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// sliceCodec returns the codec of slice type t with elements encoded by elem.
func sliceCodec(t reflect.Type, elem *Codec) *Codec {
	size := t.Elem().Size()
	c := &Codec{
		Width: func(src []byte, mark byte) int {
			_, end := countElements(elem, src, mark)
			return end + 1
		},
		Encode: func(dst []byte, p memory.Pointer) []byte {
			n, base := p.List()
			for i := range n {
				dst = elem.Encode(append(dst, 1), base.Index(i, size))
			}
			return append(dst, 0)
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			n, end := countElements(elem, src, 0)
			if end >= len(src) || src[end] != 0 {
				return nil, ErrMalformed
			}
			base := makeSlice(t, n, p)
			for i := range n {
				var err error
				if src, err = elem.Decode(src[1:], base.Index(i, size)); err != nil {
					return nil, err
				}
			}
			return src[1:], nil
		},
	}
	switch t.Elem().Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if !Marshals(t.Elem()) {
			integerSlice(c, t)
		}
	default:
	}
	return c
}

// countElements returns the number of elements of the encoded slice at the start of src, and where
// they end. All bytes of src have been flipped with mark.
func countElements(elem *Codec, src []byte, mark byte) (n, end int) {
	for end < len(src) && src[end] == 1^mark {
		end++
		end += min(elem.Width(src[end:], mark), len(src)-end)
		n++
	}
	return n, end
}

// makeSlice sets the slice at p to n new zero elements, nil for none, and returns their address.
func makeSlice(t reflect.Type, n int, p memory.Pointer) memory.Pointer {
	list := p.Value(t)
	if n == 0 {
		list.SetZero()
		return memory.Pointer{}
	}
	list.Set(reflect.MakeSlice(t, n, n))
	return memory.At(list)
}

// integerSlice replaces Encode and Decode of c, a codec of slices of 4- or 8-byte integers, by
// faster ones without a call per element.
func integerSlice(c *Codec, t reflect.Type) {
	var flip uint64
	if t.Elem().Kind() <= reflect.Int64 {
		flip = 1 << (t.Elem().Bits() - 1)
	}
	if t.Elem().Size() == 4 {
		flip := uint32(flip)
		c.Encode = func(dst []byte, p memory.Pointer) []byte {
			list := *memory.To[[]uint32](p)
			dst = slices.Grow(dst, 5*len(list)+1)
			for _, x := range list {
				dst = binary.BigEndian.AppendUint32(append(dst, 1), x^flip)
			}
			return append(dst, 0)
		}
		c.Decode = func(src []byte, p memory.Pointer) ([]byte, error) {
			n, ok := countWords(src, 4)
			if !ok {
				return nil, ErrMalformed
			}
			list := makeWords[uint32](n)
			for i := range list {
				list[i] = binary.BigEndian.Uint32(src[5*i+1:]) ^ flip
			}
			*memory.To[[]uint32](p) = list
			return src[5*n+1:], nil
		}
		return
	}
	c.Encode = func(dst []byte, p memory.Pointer) []byte {
		list := *memory.To[[]uint64](p)
		dst = slices.Grow(dst, 9*len(list)+1)
		for _, x := range list {
			dst = binary.BigEndian.AppendUint64(append(dst, 1), x^flip)
		}
		return append(dst, 0)
	}
	c.Decode = func(src []byte, p memory.Pointer) ([]byte, error) {
		n, ok := countWords(src, 8)
		if !ok {
			return nil, ErrMalformed
		}
		list := makeWords[uint64](n)
		for i := range list {
			list[i] = binary.BigEndian.Uint64(src[9*i+1:]) ^ flip
		}
		*memory.To[[]uint64](p) = list
		return src[9*n+1:], nil
	}
}

// makeWords returns a new slice of n integers, nil for none.
func makeWords[E uint32 | uint64](n int) []E {
	if n == 0 {
		return nil
	}
	return make([]E, n)
}

// countWords returns the number of elements, of size bytes, of the encoded slice at the start of
// src; false if there is no such slice.
func countWords(src []byte, size int) (n int, ok bool) {
	at := 0
	for at < len(src) && src[at] == 1 {
		at += 1 + size
		n++
	}
	return n, at < len(src) && src[at] == 0
}
