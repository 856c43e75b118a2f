package codec

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// ErrUnsupportedType is wrapped by errors of Bind for a type that no key, value or record can have.
var ErrUnsupportedType = errors.New("unsupported type")

// ErrMalformed is the error of decoding bytes that encode no value of the type.
var ErrMalformed = errors.New("mapreduce: malformed encoding")

// Codec encodes values of one type as bytes in the order of the values, and decodes them:
//
//	bool, integers   big-endian, the sign bit of signed ones flipped
//	floats           IEEE bits, all flipped if negative, otherwise the sign bit
//	string, []byte   as they are at the end of an encoding; before other
//	                 fields 0x00 becomes 0x00 0xff and 0x00 0x01 ends it
//	slices           0x01 and the element for each, 0x00 at the end
//	arrays, structs  their elements, in order
//	marshaled types  as []byte
//
// Some key types have their own encodings, because their bytes do not show their order; see
// keytypes.go. Floats in values keep all their bits.
//
// The functions take pointers, so that they are built once, at Bind, and do not allocate per
// record. They have no state, and attempts share them.
type Codec struct {
	Encode func(dst []byte, p memory.Pointer) []byte
	// Decode decodes a value at the head of src and returns the rest. Byte slices alias src if
	// possible.
	Decode func(src []byte, p memory.Pointer) ([]byte, error)
	// Width returns the number of bytes of the value at the head of src without decoding it. Every
	// byte of src is XORed with mark: 0xff for descending keys, otherwise 0. For malformed bytes
	// the result may exceed len(src).
	Width  func(src []byte, mark byte) int
	Raw    bool // the encoding is the bytes of a string or []byte
	Open   bool // the value takes all of src, so it must be last in an encoding
	Empty  bool // values have no bytes; types of size zero with MarshalBinary have some
	plain  plainKind
	flip   uint64 // for plain integers: xor mask that makes signed ones sort as unsigned
	fields []fieldCodec
}

// Appender returns a function that appends a value's encoding, with all bits flipped if descending.
func (c *Codec) Appender(descending bool) func(dst []byte, p memory.Pointer) []byte {
	if !descending {
		return c.Encode
	}
	return func(dst []byte, p memory.Pointer) []byte {
		at := len(dst)
		dst = c.Encode(dst, p)
		flip(dst[at:])
		return dst
	}
}

// plainKind names an encoding so simple that a struct's Encode does it without a call per field.
type plainKind uint8

const (
	notPlain    plainKind = iota
	plainByte             // a byte, flipped
	plainWord             // 8 bytes, big-endian and flipped
	plainBytes            // a []byte as it is
	plainString           // a string as it is
)

// fieldCodec is the codec of a struct field. It copies plain and flip, for a faster Encode.
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

// Builder makes the Codec of a type, recursively from those of its parts.
type Builder struct {
	key  bool // for keys: equal values must have equal bytes
	path []string
	// within are the types that contain the current one. Of refuses recursive types by it.
	within []reflect.Type
}

// Of returns the codec of t. If last is set, nothing follows a value, so its end needs no mark.
func (b *Builder) Of(t reflect.Type, last bool) (*Codec, error) {
	if b.key {
		if c := keyTypeCodec(t, last); c != nil {
			return c, nil
		}
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
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integerCodec(t), nil
	case reflect.Float32, reflect.Float64:
		return floatCodec(t, b.key), nil
	case reflect.String:
		return textCodec[string](last, plainString), nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return textCodec[[]byte](last, plainBytes), nil
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

// Part is like Of, for a part of the current type; errors add name to the path of the part.
func (b *Builder) Part(name string, t reflect.Type, last bool) (*Codec, error) {
	b.path = append(b.path, name)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	return b.Of(t, last)
}

// refuse returns the error for a type t that cannot be encoded, at the current path.
func (b *Builder) refuse(t reflect.Type, why string) error { return Refuse(b.path, t, why) }

// Refuse returns the error for a type t that cannot be encoded. path names its field; why is the
// reason, or empty.
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

// Marshals reports whether values of t are encoded with MarshalBinary.
func Marshals(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(marshalerType) && p.Implements(unmarshalerType) &&
		OwnMethod(t, "MarshalBinary") && OwnMethod(t, "UnmarshalBinary")
}
