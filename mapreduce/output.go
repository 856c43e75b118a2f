package mapreduce

import (
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// Output describes how records of type O are encoded and where they are written. Make it with Text,
// Raw, Encoded, Typed, Parts, Collected.Output or Dataset.Output. Routed distributes the records of
// one over several files.
type Output[O any] struct{ form *write.Form }

// Text writes one line per record: strings and byte slices as they are, numbers in decimal (floats
// in the shortest form that reads back), Pairs and structs as their fields with tabs between, types
// with MarshalText or String by that method. A field of type None writes neither text nor tab.
func Text[O any](to Destination) Output[O] { return textWith[O](to, "\t", "\n") }

// textWith is Text with a custom field separator and record end.
func textWith[O any](to Destination, separator, end string) Output[O] {
	return Output[O]{write.Text(reflect.TypeFor[O](), to, separator, end)}
}

// Raw is Text with nothing between fields and nothing after a record.
func Raw[O any](to Destination) Output[O] { return textWith[O](to, "", "") }

// Encoded writes the bytes that encode appends to dst for each record. encode runs in many attempts
// concurrently.
func Encoded[O any](to Destination, encode func(dst []byte, rec O) ([]byte, error)) Output[O] {
	return Output[O]{&write.Form{
		Record: reflect.TypeFor[O](),
		Dest:   to,
		Encoder: func() (write.Append, error) {
			return func(dst []byte, rec memory.Pointer) ([]byte, error) { return encode(dst, *memory.To[O](rec)) }, nil
		},
	}}
}

// Collected gathers output records in memory, for tests and small results. The zero value is ready
// to use. It serves one job; if that fails, another job may fill it.
type Collected[O any] struct {
	store output.BufferedStore
}

// Output returns the output that fills c. O must be valid as a value type of a job.
func (c *Collected[O]) Output() Output[O] {
	v, wrong := codec.Value[O]()
	return Output[O]{write.Coded(reflect.TypeFor[O](), output.To(&c.store), wrong, func() write.Append { return codec.Framed(v.Appender(false)) })}
}
