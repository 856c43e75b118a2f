package mapreduce

import (
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// appendRecord appends the encoding of the record at rec to dst and returns the result.
type appendRecord func(dst []byte, rec memory.Pointer) ([]byte, error)

// outputForm is an Output without its record type; a record is passed as a pointer.
type outputForm struct {
	record reflect.Type // type of the records
	dest   output.Destination
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
	open func(t *task.Task, file *output.PartFile) (ownWriter, error)
	// image is the size of records that are written as they are in memory, with zeros in the gaps;
	// 0 if records are encoded.
	image int
}

// codedForm returns the form of an output in an encoding of the engine. encoder returns the encoder
// of an attempt; wrong is the error of a record type that has none.
func codedForm(record reflect.Type, to output.Destination, wrong error, encoder func() appendRecord) *outputForm {
	return &outputForm{record: record, dest: to, encoder: func() (appendRecord, error) {
		if wrong != nil {
			return nil, wrong
		}
		return encoder(), nil
	}}
}
