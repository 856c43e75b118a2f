// Package codec encodes keys and values as bytes in the order of the values, and decodes them.
//
// A [Codec] works on memory at a pointer and knows no Go type: a [Builder] makes it once from a
// reflect.Type. [Typed] is a Codec for values of a type parameter, and the only generic code here.
//
// Reading order: codec.go (the encoding, and which type has which), scalars.go, bytes.go,
// slices.go, composite.go, keytypes.go, then typed.go.
package codec
