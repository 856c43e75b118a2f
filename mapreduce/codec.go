package mapreduce

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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
// Keys of types whose bytes say less than their order have encodings of their
// own, see keytypes.go; the floats of values keep each of their bits.
//
// The functions take pointers so that they are built once, at Bind, and cost no
// allocation a record. They have no state: attempts share them.
type codec struct {
	encode func(dst []byte, p unsafe.Pointer) []byte
	// decode reads a value from the head of src and returns the rest. Byte
	// slices alias src where they can.
	decode func(src []byte, p unsafe.Pointer) ([]byte, error)
	// width tells how many bytes at the head of src are the value's, without
	// decoding it; every byte of src has been flipped with mark. What it says of
	// malformed bytes may be more than there are.
	width  func(src []byte, mark byte) int
	raw    bool // the encoding is the bytes of a string or []byte
	open   bool // the value takes all of src: only at the end of an encoding
	empty  bool // no value has any bytes; types of size zero with MarshalBinary have some
	plain  plainKind
	flip   uint64 // of a plain integer: exclusive-or
	fields []fieldCodec
}

// appender is encode, of keys in falling order with all bits flipped.
func (c *codec) appender(descending bool) func(dst []byte, p unsafe.Pointer) []byte {
	if !descending {
		return c.encode
	}
	return func(dst []byte, p unsafe.Pointer) []byte {
		at := len(dst)
		dst = c.encode(dst, p)
		flip(dst[at:])
		return dst
	}
}

// plainKind says that a value is encoded in a way that takes less time than a call of encode.
type plainKind uint8

const (
	notPlain    plainKind = iota
	plainByte             // a byte, flipped
	plainWord             // 8 bytes, big-endian and flipped
	plainBytes            // a []byte as it is
	plainString           // a string as it is
)

// fieldCodec has plain and flip of its codec once more, where encode looks.
type fieldCodec struct {
	*codec
	offset uintptr
	plain  plainKind
	flip   uint64
}

func fieldAt(offset uintptr, c *codec) fieldCodec {
	return fieldCodec{codec: c, offset: offset, plain: c.plain, flip: c.flip}
}

var (
	marshalerType   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshalerType = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// selfCoded is a type of this package that makes its own codec.
type selfCoded interface {
	codecWithin(b *codecs, last bool) (*codec, error)
}

// codecs builds the codec of a type.
type codecs struct {
	key  bool   // of a key: equal values must have equal bytes
	home string // package that calls Bind
	path []string
	// within are the types that the present one is part of.
	within []reflect.Type
}

// of returns the codec of t. last says that nothing follows the value.
func (b *codecs) of(t reflect.Type, last bool) (*codec, error) {
	if b.key {
		if c := keyTypeCodec(t, last); c != nil {
			return c, nil
		}
	}
	if own, ok := reflect.TypeAssert[selfCoded](reflect.Zero(t)); ok {
		return own.codecWithin(b, last)
	}
	if marshals(t) {
		return marshalCodec(t, last), nil
	}
	if slices.Contains(b.within, t) {
		return nil, b.refuse(t, "it contains itself; give it MarshalBinary and UnmarshalBinary")
	}
	b.within = append(b.within, t)
	defer func() { b.within = b.within[:len(b.within)-1] }()
	switch t.Kind() {
	case reflect.Bool, reflect.Uint8:
		return byteCodec(0), nil
	case reflect.Int8:
		return byteCodec(0x80), nil
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integerCodec(t), nil
	case reflect.Float32, reflect.Float64:
		return floatCodec(t, b.key), nil
	case reflect.String:
		return stringCodec(last), nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return bytesCodec(last), nil
		}
		return b.slice(t)
	case reflect.Array:
		return b.array(t, last)
	case reflect.Struct:
		return b.structure(t, last)
	case reflect.Pointer:
		return nil, b.refuse(t, "use "+t.Elem().String()+" itself")
	default:
		return nil, b.refuse(t, "")
	}
}

// part is of for a part of the present type.
func (b *codecs) part(name string, t reflect.Type, last bool) (*codec, error) {
	b.path = append(b.path, name)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	return b.of(t, last)
}

// refuse says which field, of which type, cannot be encoded, and why.
func (b *codecs) refuse(t reflect.Type, why string) error { return refuseType(b.path, t, why) }

func refuseType(path []string, t reflect.Type, why string) error {
	err := fmt.Errorf("%w %s", ErrUnsupportedType, t)
	if why != "" {
		err = fmt.Errorf("%w: %s", err, why)
	}
	if len(path) == 0 {
		return err
	}
	return fmt.Errorf("field %s: %w", strings.TrimPrefix(strings.Join(path, ""), "."), err)
}

// marshals reports whether values of t are to be encoded with MarshalBinary.
func marshals(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalerType) && p.Implements(unmarshalerType) &&
		ownMethod(t, "MarshalBinary") && ownMethod(t, "UnmarshalBinary")
}
