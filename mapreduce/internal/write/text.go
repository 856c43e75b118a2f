package write

import (
	"encoding"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// appendText appends the text of the value at p to dst and returns the result.
type appendText = Append

var (
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	stringerType      = reflect.TypeFor[fmt.Stringer]()
)

// Text returns the form of lines: records as text, with separator between fields and end after
// each.
func Text(record reflect.Type, to output.Destination, separator, end string) *Form {
	return &Form{
		Record: record,
		Dest:   to,
		Plain:  record == reflect.TypeFor[[]byte](),
		end:    end,
		Layout: textLayout(record, separator, end),
		Encoder: func() (Append, error) {
			f, err := textFormat(record, separator)
			if err != nil {
				return nil, err
			}
			return func(dst []byte, rec memory.Pointer) ([]byte, error) {
				dst, err := f(dst, rec)
				return append(dst, end...), err
			}, nil
		},
	}
}

// textFormat returns a function that appends the text of a record.
func textFormat(record reflect.Type, separator string) (appendText, error) {
	f, err := (&textBuilder{separator: separator}).of(record)
	if err != nil {
		return nil, fmt.Errorf("output type %s: %w", record, err)
	}
	return f, nil
}

// textBuilder builds the function that writes values of a type as text.
type textBuilder struct {
	separator string
	path      []string
	within    []reflect.Type // types that contain the current one
}

// part returns the format of a field of the current type; errors name the field.
func (b *textBuilder) part(name string, t reflect.Type) (appendText, error) {
	b.path = append(b.path, name)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	return b.of(t)
}

func (b *textBuilder) of(t reflect.Type) (appendText, error) {
	switch {
	case hasOwnMethod(t, textMarshalerType, "MarshalText"):
		return func(dst []byte, p memory.Pointer) ([]byte, error) {
			b, err := p.Value(t).Addr().Interface().(encoding.TextMarshaler).MarshalText()
			return append(dst, b...), fault.Bad(err)
		}, nil
	case hasOwnMethod(t, stringerType, "String"):
		return func(dst []byte, p memory.Pointer) ([]byte, error) {
			return append(dst, p.Value(t).Addr().Interface().(fmt.Stringer).String()...), nil
		}, nil
	case slices.Contains(b.within, t):
		return nil, codec.Refuse(b.path, t, "it contains itself; give it MarshalText")
	}
	b.within = append(b.within, t)
	defer func() { b.within = b.within[:len(b.within)-1] }()
	switch t.Kind() {
	case reflect.String:
		return appendBytesAt, nil
	case reflect.Bool:
		return func(dst []byte, p memory.Pointer) ([]byte, error) {
			return strconv.AppendBool(dst, *memory.To[bool](p)), nil
		}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(dst []byte, p memory.Pointer) ([]byte, error) {
			return strconv.AppendInt(dst, p.Value(t).Int(), 10), nil
		}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(dst []byte, p memory.Pointer) ([]byte, error) {
			return strconv.AppendUint(dst, p.Value(t).Uint(), 10), nil
		}, nil
	case reflect.Float32, reflect.Float64:
		return func(dst []byte, p memory.Pointer) ([]byte, error) {
			return strconv.AppendFloat(dst, p.Value(t).Float(), 'g', -1, t.Bits()), nil
		}, nil
	case reflect.Slice, reflect.Array:
		return b.list(t)
	case reflect.Struct:
		return b.structure(t)
	case reflect.Pointer:
		return nil, codec.Refuse(b.path, t, "use "+t.Elem().String()+" itself")
	default:
		return nil, codec.Refuse(b.path, t, "")
	}
}

// appendBytesAt appends the bytes of the string or []byte at p.
func appendBytesAt(dst []byte, p memory.Pointer) ([]byte, error) {
	n, first := p.List()
	return append(dst, first.Memory(uintptr(n))...), nil
}

// hasOwnMethod reports whether values of t are written by their own method. A method that a struct
// has from an embedded field does not count, because it would omit the other fields.
func hasOwnMethod(t, with reflect.Type, method string) bool {
	if !reflect.PointerTo(t).Implements(with) {
		return false
	}
	return codec.OwnMethod(t, method) || t.NumField() == 1
}

// list returns the format of a slice or array: bytes as they are, other elements with commas
// between.
func (b *textBuilder) list(t reflect.Type) (appendText, error) {
	if t.Elem().Kind() == reflect.Uint8 {
		if t.Kind() == reflect.Slice {
			return appendBytesAt, nil
		}
		return func(dst []byte, p memory.Pointer) ([]byte, error) {
			return append(dst, p.Memory(uintptr(t.Len()))...), nil
		}, nil
	}
	elem, err := b.part("[]", t.Elem())
	if err != nil {
		return nil, err
	}
	return func(dst []byte, p memory.Pointer) (_ []byte, err error) {
		list := p.Value(t)
		for i := range list.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = elem(dst, memory.At(list.Index(i).Addr())); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}, nil
}

func (b *textBuilder) structure(t reflect.Type) (appendText, error) {
	type field struct {
		text   appendText
		offset uintptr
	}
	var fields []field
	for f := range t.Fields() {
		if f.Name == "_" || f.Type == reflect.TypeFor[struct{}]() {
			continue
		}
		text, err := b.part("."+f.Name, f.Type)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{text, f.Offset})
	}
	separator := b.separator
	return func(dst []byte, p memory.Pointer) (_ []byte, err error) {
		for i, f := range fields {
			if i > 0 {
				dst = append(dst, separator...)
			}
			if dst, err = f.text(dst, p.Add(f.offset)); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}, nil
}

// IsPair reports whether t is a mapreduce.Pair of two types.
func IsPair(t reflect.Type) bool {
	room := reflect.TypeFor[textBuilder]().PkgPath()
	return t.PkgPath() == path.Dir(path.Dir(room)) && strings.HasPrefix(t.Name(), "Pair[")
}

// textLayout describes the text of a Pair of strings, byte slices or None, whose encodings are
// their text; nil for all other types.
func textLayout(t reflect.Type, separator, end string) *segment.Layout {
	if !IsPair(t) {
		return nil
	}
	l := &segment.Layout{End: []byte(end)}
	for i, f := range []*bool{&l.Key, &l.Value} {
		switch ft := t.Field(i).Type; {
		case ft == reflect.TypeFor[struct{}]():
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
