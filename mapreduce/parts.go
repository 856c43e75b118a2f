package mapreduce

import (
	"errors"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// PartWriter writes the records of one attempt in a custom format. Its methods are called one after
// the other. An error or panic of one of them ends the attempt.
type PartWriter[O any] interface {
	// Write writes a record, whose memory may be reused after it returns. It is not called after an
	// error.
	Write(rec O) error
	// Close is called after the last record and completes the part. The commit decides later
	// whether the part becomes visible: only one attempt at a task does.
	Close() error
	// Abort is called once if the attempt failed or was stopped: either Close is not called, or it
	// has failed. Abort releases the resources of the writer; the engine removes the file.
	Abort() error
}

// Parts writes parts in a custom format, such as Parquet files or SQLite databases. open is called
// once per attempt and returns the writer of its records; it runs in many attempts concurrently. A
// part is a file in to that becomes visible when its attempt commits, as for any other output; the
// files of other attempts are removed. to may have an extension: Parts(Dir("out").Extension(".db"),
// open) writes part-r-00000.db and so on.
//
// t is the task of the attempt. Work that takes minutes, such as a Close that builds an index,
// should call t.Progress, or the task timeout ends it. If open fails, it must release its own
// resources.
//
// In a job that skips bad records (MapAttempt.MaxSkips of package cluster), a record is written
// when the map function has returned. Its slices are then copied; the targets of its pointers and
// maps are not.
func Parts[O any](to Destination, open func(t *Task, file *PartFile) (PartWriter[O], error)) Output[O] {
	return Output[O]{&write.Form{
		Record: reflect.TypeFor[O](),
		Dest:   to,
		Open: func(t *task.Task, file *PartFile) (write.Own, error) {
			w, err := open(&Task{of: t}, file)
			if w == nil {
				return write.Own{}, err
			}
			return write.Own{Write: func(rec memory.Pointer) error { return w.Write(*memory.To[O](rec)) }, Close: w.Close, Abort: w.Abort}, err
		},
		Encoder: func() (f write.Append, err error) {
			if open == nil {
				err = errors.New("Parts without an open function")
			}
			return f, err
		},
	}}
}
