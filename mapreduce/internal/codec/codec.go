package codec

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

// ErrMalformed says that bytes are not the encoding of a value.
var ErrMalformed = errors.New("mapreduce: malformed encoding")

// Codec turns values of one type into bytes whose order is the order of the
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
type Codec struct {
	Encode func(dst []byte, p unsafe.Pointer) []byte
	// Decode reads a value from the head of src and returns the rest. Byte
	// slices alias src where they can.
	Decode func(src []byte, p unsafe.Pointer) ([]byte, error)
	// Width tells how many bytes at the head of src are the value's, without
	// decoding it; every byte of src has been flipped with mark. What it says of
	// malformed bytes may be more than there are.
	Width  func(src []byte, mark byte) int
	Raw    bool // the encoding is the bytes of a string or []byte
	Open   bool // the value takes all of src: only at the end of an encoding
	Empty  bool // no value has any bytes; types of size zero with MarshalBinary have some
	plain  plainKind
	flip   uint64 // of a plain integer: exclusive-or
	fields []fieldCodec
}

// Appender is encode, of keys in falling order with all bits flipped.
func (c *Codec) Appender(descending bool) func(dst []byte, p unsafe.Pointer) []byte {
	if !descending {
		return c.Encode
	}
	return func(dst []byte, p unsafe.Pointer) []byte {
		at := len(dst)
		dst = c.Encode(dst, p)
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
	*Codec
	offset uintptr
	plain  plainKind
	flip   uint64
}

func fieldAt(offset uintptr, c *Codec) fieldCodec {
	return fieldCodec{Codec: c, offset: offset, plain: c.plain, flip: c.flip}
}

var (
	marshalerType   = reflect.TypeFor[encoding.BinaryMarshaler]()
	unmarshalerType = reflect.TypeFor[encoding.BinaryUnmarshaler]()
)

// IsMarshaler reports whether values of t, or pointers to them, have MarshalBinary.
func IsMarshaler(t reflect.Type) bool { return reflect.PointerTo(t).Implements(marshalerType) }

// SelfCoded is a type that makes its own codec.
type SelfCoded interface {
	// CodecWithin makes the codec of the type by b; last says that nothing follows a value.
	CodecWithin(b *Builder, last bool) (*Codec, error)
}

// Builder builds the codec of a type.
type Builder struct {
	key  bool   // of a key: equal values must have equal bytes
	home string // package that calls Bind
	path []string
	// within are the types that the present one is part of.
	within []reflect.Type
}

// Of returns the codec of t. last says that nothing follows the value.
func (b *Builder) Of(t reflect.Type, last bool) (*Codec, error) {
	if b.key {
		if c := keyTypeCodec(t, last); c != nil {
			return c, nil
		}
	}
	if own, ok := reflect.TypeAssert[SelfCoded](reflect.Zero(t)); ok {
		return own.CodecWithin(b, last)
	}
	if Marshals(t) {
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

// Part is of for a part of the present type.
func (b *Builder) Part(name string, t reflect.Type, last bool) (*Codec, error) {
	b.path = append(b.path, name)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	return b.Of(t, last)
}

// refuse says which field, of which type, cannot be encoded, and why.
func (b *Builder) refuse(t reflect.Type, why string) error { return Refuse(b.path, t, why) }

// Refuse is the error of a type at a path of fields that cannot be encoded; why may be empty.
func Refuse(path []string, t reflect.Type, why string) error {
	err := fmt.Errorf("%w %s", ErrUnsupportedType, t)
	if why != "" {
		err = fmt.Errorf("%w: %s", err, why)
	}
	if len(path) == 0 {
		return err
	}
	return fmt.Errorf("field %s: %w", strings.TrimPrefix(strings.Join(path, ""), "."), err)
}

// Marshals reports whether values of t are to be encoded with MarshalBinary.
func Marshals(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalerType) && p.Implements(unmarshalerType) &&
		OwnMethod(t, "MarshalBinary") && OwnMethod(t, "UnmarshalBinary")
}
