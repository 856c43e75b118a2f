package write

import (
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// Own holds the methods of a user's PartWriter; Write writes the record at rec. All are nil if the
// user returned no writer.
type Own struct {
	Write        func(rec memory.Pointer) error
	Close, Abort func() error
}

// ownPart is the part of an attempt with a user's writer.
type ownPart struct {
	writer      Own
	file        *output.PartFile
	record      reflect.Type
	heldRecords []memory.Pointer // copies that Settle writes and Drop discards
}

// openPart creates the file of a part and calls the user's open for it.
func openPart(to *output.Committer, t *task.Task, at output.Part, out *Form) (_ *ownPart, err error) {
	file := to.OwnFile(at)
	o := &ownPart{file: file, record: out.Record}
	opened := false
	defer func() { // even if open exits the goroutine
		if !opened {
			output.DropFile(file)
		}
	}()
	err = o.call("open", func() (err error) {
		o.writer, err = out.Open(t, file)
		return err
	})
	if err == nil && o.writer.Write == nil {
		err = fault.Permanent(fmt.Errorf("%s: open returned no writer", file.Name()))
	}
	opened = err == nil
	return o, err
}

// call runs code, user code. It adds the file's name and what, the called method, to the error.
func (o *ownPart) call(what string, code func() error) (err error) {
	if fault.Contained(&err, code); err != nil {
		err = fmt.Errorf("%s: %s: %w", o.file.Name(), what, err)
	}
	return err
}

// write passes a record to the user's writer, or keeps a copy of it until Settle or Drop.
func (o *ownPart) write(rec memory.Pointer, held bool) error {
	if !held {
		return o.call("Write", func() error { return o.writer.Write(rec) })
	}
	own := reflect.New(o.record)
	own.Elem().Set(rec.Value(o.record))
	anySlice.Replace(own.Elem(), copySlices)
	o.heldRecords = append(o.heldRecords, memory.At(own))
	return nil
}

func (o *ownPart) Settle() error {
	defer o.Drop()
	for _, rec := range o.heldRecords {
		if err := o.write(rec, false); err != nil {
			return err
		}
	}
	return nil
}

func (o *ownPart) Drop() {
	clear(o.heldRecords)
	o.heldRecords = o.heldRecords[:0]
}

// end closes the part of a successful attempt; after an error it aborts it.
func (o *ownPart) end(failed error) (err error) {
	closed := false
	defer func() { // even if Close exits the goroutine
		if closed {
			return
		}
		defer output.DropFile(o.file)
		if bad := o.call("Abort", o.writer.Abort); bad != nil {
			err = fmt.Errorf("%w; then %w", err, bad)
		}
	}()
	if err = failed; err != nil {
		return err
	}
	if err = o.call("Close", o.writer.Close); err != nil {
		return err
	}
	closed = true
	return output.FinishFile(o.file)
}

// anySlice selects slices of all elements.
var anySlice watch.Element = func(reflect.Type) bool { return true }

// copySlices sets the slice v to a copy, with the slices in its elements, except those behind
// pointers, maps, interfaces and unexported fields.
func copySlices(v reflect.Value) {
	list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(list, v)
	v.Set(list)
	if memory.Contains(v.Type().Elem(), func(t reflect.Type) bool { return t.Kind() == reflect.Slice }) {
		for i := range v.Len() {
			anySlice.Replace(v.Index(i), copySlices)
		}
	}
}
