// Package codec turns keys and values into bytes whose order is the order of the values, and back.
//
// A [Codec] works on memory at a pointer and knows no Go type: it is made once, from a
// reflect.Type, by a [Builder]. [Typed] is a Codec for values of a type parameter, and the only
// generic code here. Reading order: codec.go (the encoding, and which type has which), scalars.go,
// bytes.go, slices.go, composite.go, keytypes.go, then typed.go.
package codec
