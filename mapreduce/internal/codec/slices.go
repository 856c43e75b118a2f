package codec

import (
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
	switch flip := IntegerFlip(t.Elem()); IntegerWidth(t.Elem()) {
	case 4:
		integerSlice(c, uint32(flip))
	case 8:
		integerSlice(c, flip)
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

// integerSlice replaces Encode and Decode of c, a codec of slices of integers as large as E, by
// faster ones without a call per element.
//
//go:noinline
func integerSlice[E uint32 | uint64](c *Codec, flip E) {
	size := int(memory.SizeOf[E]())
	c.Encode = func(dst []byte, p memory.Pointer) []byte {
		list := *memory.To[[]E](p)
		dst = slices.Grow(dst, (1+size)*len(list)+1)
		for _, x := range list {
			dst = appendWord(append(dst, 1), x^flip)
		}
		return append(dst, 0)
	}
	c.Decode = func(src []byte, p memory.Pointer) ([]byte, error) {
		n, ok := countWords(src, size)
		if !ok {
			return nil, ErrMalformed
		}
		var list []E // nil for no elements
		if n > 0 {
			list = make([]E, n)
		}
		for i := range list {
			list[i] = wordAt[E](src[(1+size)*i+1:]) ^ flip
		}
		*memory.To[[]E](p) = list
		return src[(1+size)*n+1:], nil
	}
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
