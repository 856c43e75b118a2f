package write

import (
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// Append appends the encoding of the record at rec to dst and returns the result.
type Append func(dst []byte, rec memory.Pointer) ([]byte, error)

// Form says how records are encoded and where they are written: an Output without its record type.
type Form struct {
	Record reflect.Type // type of the records
	Dest   output.Destination
	// Encoder returns a function that appends the encoding of a record, for one attempt. Bind calls
	// it, too: its error says what is wrong with the output.
	Encoder func() (Append, error)
	// Plain means that records are []byte, written as they are with end after each; large ones are
	// not copied.
	Plain bool
	end   string // of a record, if Plain is set
	Head  []byte // first bytes of each part
	// Route, if not nil, names the file of a record.
	Route func(rec memory.Pointer) string
	// Layout, if not nil, tells how to write encoded pairs as the same text: a job without Reduce
	// then writes pairs without decoding them.
	Layout *segment.Layout
	// Open, if not nil, returns the user's PartWriter, which writes the records.
	Open func(t *task.Task, file *output.PartFile) (Own, error)
	// Image is the size of records that are written as they are in memory, with zeros in the gaps;
	// 0 if records are encoded.
	Image int
}

// Coded returns the form of an output in an encoding of the engine. encoder returns the encoder
// of an attempt; wrong is the error of a record type that has none.
func Coded(record reflect.Type, to output.Destination, wrong error, encoder func() Append) *Form {
	return &Form{Record: record, Dest: to, Encoder: func() (Append, error) {
		if wrong != nil {
			return nil, wrong
		}
		return encoder(), nil
	}}
}
