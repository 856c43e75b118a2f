package mapreduce

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

func sliceCodec(t reflect.Type) (*codec, error) {
	elem, err := codecOf(t.Elem(), false)
	if err != nil {
		return nil, err
	}
	size := t.Elem().Size()
	return &codec{
		encode: func(dst []byte, p unsafe.Pointer) []byte {
			h := (*[]struct{})(p) // only the header is used
			base := unsafe.Pointer(unsafe.SliceData(*h))
			for i := range len(*h) {
				dst = elem.encode(append(dst, 1), unsafe.Add(base, uintptr(i)*size))
			}
			return append(dst, 0)
		},
		decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
			list := reflect.NewAt(t, p).Elem()
			list.SetZero()
			for {
				if len(src) == 0 || src[0] > 1 {
					return nil, errEncoding
				}
				more := src[0] == 1
				src = src[1:]
				if !more {
					return src, nil
				}
				v := reflect.New(t.Elem())
				var err error
				if src, err = elem.decode(src, v.UnsafePointer()); err != nil {
					return nil, err
				}
				list.Set(reflect.Append(list, v.Elem()))
			}
		},
	}, nil
}

func arrayCodec(t reflect.Type, last bool) (*codec, error) {
	n, size := t.Len(), t.Elem().Size()
	if t.Elem().Kind() == reflect.Uint8 {
		return &codec{
			encode: func(dst []byte, p unsafe.Pointer) []byte { return append(dst, unsafe.Slice((*byte)(p), n)...) },
			decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
				if len(src) < n {
					return nil, errEncoding
				}
				copy(unsafe.Slice((*byte)(p), n), src)
				return src[n:], nil
			},
		}, nil
	}
	var fields []fieldCodec
	for i := range n {
		f, err := codecOf(t.Elem(), last && i == n-1)
		if err != nil {
			return nil, err
		}
		fields = append(fields, fieldCodec{f, uintptr(i) * size})
	}
	return fieldsCodec(fields), nil
}

func structCodec(t reflect.Type, last bool) (*codec, error) {
	var fields []fieldCodec
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		c, err := codecOf(f.Type, last && onlyEmptyAfter(t, i))
		if err != nil {
			return nil, fmt.Errorf("%w in field %s of %s", err, f.Name, t)
		}
		fields = append(fields, fieldCodec{c, f.Offset})
	}
	return fieldsCodec(fields), nil
}

// onlyEmptyAfter reports whether all fields after field i have size zero.
func onlyEmptyAfter(t reflect.Type, i int) bool {
	for j := i + 1; j < t.NumField(); j++ {
		if t.Field(j).Type.Size() > 0 {
			return false
		}
	}
	return true
}

func fieldsCodec(fields []fieldCodec) *codec {
	c := &codec{fields: fields}
	c.open = slices.ContainsFunc(fields, func(f fieldCodec) bool { return f.open })
	c.encode = func(dst []byte, p unsafe.Pointer) []byte {
		for i := range fields {
			dst = fields[i].encode(dst, unsafe.Add(p, fields[i].offset))
		}
		return dst
	}
	c.decode = func(src []byte, p unsafe.Pointer) (_ []byte, err error) {
		for i := range fields {
			if src, err = fields[i].decode(src, unsafe.Add(p, fields[i].offset)); err != nil {
				return nil, err
			}
		}
		return src, nil
	}
	return c
}

func marshalCodec(t reflect.Type, last bool) *codec {
	inner := bytesCodec(last)
	return &codec{
		open: last,
		encode: func(dst []byte, p unsafe.Pointer) []byte {
			b, err := reflect.NewAt(t, p).Interface().(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				panic(marshalError{fmt.Errorf("mapreduce: encoding %s: %w", t, err)})
			}
			return inner.encode(dst, unsafe.Pointer(&b))
		},
		decode: func(src []byte, p unsafe.Pointer) ([]byte, error) {
			var b []byte
			rest, err := inner.decode(src, unsafe.Pointer(&b))
			if err != nil {
				return nil, err
			}
			err = reflect.NewAt(t, p).Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(b)
			if err != nil {
				err = fmt.Errorf("mapreduce: decoding %s: %w", t, err)
			}
			return rest, err
		},
	}
}
