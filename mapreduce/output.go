package mapreduce

import (
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// Output describes how records of type O are encoded and where they are written. Make it with Text,
// Raw, Encoded, Typed, Parts, Collected.Output or Dataset.Output. Routed distributes the records of
// one over several files.
type Output[O any] struct{ *outputForm }

// outputForm is an Output without its record type; a record is passed as a pointer.
type outputForm struct {
	record reflect.Type // type of the records
	dest   Destination
	// encoder returns a function that appends the encoding of a record, for one attempt. Bind calls
	// it, too: its error says what is wrong with the output.
	encoder func() (appendRecord, error)
	// plain means that records are []byte, written as they are with end after each; large ones are
	// not copied.
	plain bool
	end   string
	head  []byte // first bytes of each part
	// route, if not nil, names the file of a record.
	route func(rec memory.Pointer) string
	// layout, if not nil, tells how to write encoded pairs as the same text: a job without Reduce
	// then writes pairs without decoding them.
	layout *segment.Layout
	// open, if not nil, returns the user's PartWriter, which writes the records.
	open func(t *task.Task, file *PartFile) (ownWriter, error)
	// image is the size of records that are written as they are in memory, with zeros in the gaps;
	// 0 if records are encoded.
	image int
}

// Text writes one line per record: strings and byte slices as they are, numbers in decimal (floats
// in the shortest form that reads back), Pairs and structs as their fields with tabs between, types
// with MarshalText or String by that method. A field of type None writes neither text nor tab.
func Text[O any](to Destination) Output[O] { return textWith[O](to, "\t", "\n") }

// textWith is Text with a custom field separator and record end.
func textWith[O any](to Destination, separator, end string) Output[O] {
	return Output[O]{textForm(reflect.TypeFor[O](), to, separator, end)}
}

func textForm(record reflect.Type, to Destination, separator, end string) *outputForm {
	return &outputForm{
		record: record,
		dest:   to,
		plain:  record == reflect.TypeFor[[]byte](),
		end:    end,
		layout: textLayout(record, separator, end),
		encoder: func() (appendRecord, error) {
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

// Raw is Text with nothing between fields and nothing after a record.
func Raw[O any](to Destination) Output[O] { return textWith[O](to, "", "") }

// Encoded writes the bytes that encode appends to dst for each record. encode runs in many attempts
// concurrently.
func Encoded[O any](to Destination, encode func(dst []byte, rec O) ([]byte, error)) Output[O] {
	return Output[O]{&outputForm{
		record: reflect.TypeFor[O](),
		dest:   to,
		encoder: func() (appendRecord, error) {
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
	return Output[O]{codedForm(reflect.TypeFor[O](), output.To(&c.store), wrong, func() appendRecord { return codec.Framed(v.Appender(false)) })}
}

// codedForm returns the form of an output in an encoding of the engine. encoder returns the encoder
// of an attempt; wrong is the error of a record type that has none.
func codedForm(record reflect.Type, to Destination, wrong error, encoder func() appendRecord) *outputForm {
	return &outputForm{record: record, dest: to, encoder: func() (appendRecord, error) {
		if wrong != nil {
			return nil, wrong
		}
		return encoder(), nil
	}}
}
