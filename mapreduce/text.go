package mapreduce

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// appendText appends the text of the value at p.
type appendText func(dst []byte, p unsafe.Pointer) ([]byte, error)

var (
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	stringerType      = reflect.TypeFor[fmt.Stringer]()
)

// textFormat returns the function that appends the text of a record.
func textFormat[O any](separator string) (func(dst []byte, rec *O) ([]byte, error), error) {
	f, err := textOf(reflect.TypeFor[O](), separator)
	if err != nil {
		return nil, fmt.Errorf("output type %s: %w", reflect.TypeFor[O](), err)
	}
	return func(dst []byte, rec *O) ([]byte, error) { return f(dst, unsafe.Pointer(rec)) }, nil
}

func textOf(t reflect.Type, separator string) (appendText, error) {
	switch {
	case reflect.PointerTo(t).Implements(textMarshalerType):
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
			b, err := reflect.NewAt(t, p).Interface().(encoding.TextMarshaler).MarshalText()
			return append(dst, b...), err
		}, nil
	case reflect.PointerTo(t).Implements(stringerType):
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
			return append(dst, reflect.NewAt(t, p).Interface().(fmt.Stringer).String()...), nil
		}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) { return append(dst, *(*string)(p)...), nil }, nil
	case reflect.Bool:
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) { return strconv.AppendBool(dst, *(*bool)(p)), nil }, nil
	case reflect.Int64:
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
			return strconv.AppendInt(dst, *(*int64)(p), 10), nil
		}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32:
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
			return strconv.AppendInt(dst, reflect.NewAt(t, p).Elem().Int(), 10), nil
		}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
			return strconv.AppendUint(dst, reflect.NewAt(t, p).Elem().Uint(), 10), nil
		}, nil
	case reflect.Float32, reflect.Float64:
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
			return strconv.AppendFloat(dst, reflect.NewAt(t, p).Elem().Float(), 'g', -1, t.Bits()), nil
		}, nil
	case reflect.Slice, reflect.Array:
		return textOfList(t, separator)
	case reflect.Struct:
		return textOfStruct(t, separator)
	default:
		return nil, fmt.Errorf("%w %s", ErrUnsupportedType, t)
	}
}

// textOfList writes byte slices and arrays as they are and the elements of
// others with commas between.
func textOfList(t reflect.Type, separator string) (appendText, error) {
	if t.Elem().Kind() == reflect.Uint8 {
		if t.Kind() == reflect.Slice {
			return func(dst []byte, p unsafe.Pointer) ([]byte, error) { return append(dst, *(*[]byte)(p)...), nil }, nil
		}
		return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
			return append(dst, unsafe.Slice((*byte)(p), t.Len())...), nil
		}, nil
	}
	elem, err := textOf(t.Elem(), separator)
	if err != nil {
		return nil, err
	}
	return func(dst []byte, p unsafe.Pointer) (_ []byte, err error) {
		list := reflect.NewAt(t, p).Elem()
		for i := range list.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = elem(dst, list.Index(i).Addr().UnsafePointer()); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}, nil
}

func textOfStruct(t reflect.Type, separator string) (appendText, error) {
	type field struct {
		text   appendText
		offset uintptr
	}
	var fields []field
	for f := range t.Fields() {
		if f.Name == "_" || f.Type == reflect.TypeFor[None]() {
			continue
		}
		text, err := textOf(f.Type, separator)
		if err != nil {
			return nil, fmt.Errorf("%w in field %s of %s", err, f.Name, t)
		}
		fields = append(fields, field{text, f.Offset})
	}
	return func(dst []byte, p unsafe.Pointer) (_ []byte, err error) {
		for i, f := range fields {
			if i > 0 {
				dst = append(dst, separator...)
			}
			if dst, err = f.text(dst, unsafe.Add(p, f.offset)); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}, nil
}

// textLayout describes the text of a Pair of strings or byte slices (or None),
// whose encodings are their text; nil for all other types.
func textLayout[O any](separator, end string) *segment.Layout {
	t := reflect.TypeFor[O]()
	if t.PkgPath() != reflect.TypeFor[Job[int, int, int, int]]().PkgPath() || !strings.HasPrefix(t.Name(), "Pair[") {
		return nil
	}
	l := &segment.Layout{End: []byte(end)}
	for i, f := range []*bool{&l.Key, &l.Value} {
		switch ft := t.Field(i).Type; {
		case ft == reflect.TypeFor[None]():
		case ft == reflect.TypeFor[string]() || ft == reflect.TypeFor[[]byte]():
			*f = true
		default:
			return nil
		}
	}
	if l.Key && l.Value {
		l.Separator = []byte(separator)
	}
	return l
}
