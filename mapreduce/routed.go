package mapreduce

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// Routed writes the records of out to several files per task. route names the file of a record:
// "errors" means errors-r-00003 in reduce 3 (as Hadoop's MultipleOutputs), and "" the usual part.
// All files of a task are committed together. out must be written to a directory: Dir, ReplacedDir
// or InDFS. route runs in many attempts concurrently.
//
// A name has 1 to 100 bytes of UTF-8 without slash, backslash or control characters. "part" and
// names that begin with "part-", "_" or "." are reserved. Any other name is an error marked by
// [BadRecord]. Files("DIR/errors-*") reads the files back.
//
// An attempt holds at most 64 files open. In a local directory it closes the least recently written
// file and reopens it later. In an object store, a 65th name is an error. InDFS has no limit,
// because its files are in memory.
func Routed[O any](out Output[O], route func(rec O) string) Output[O] {
	form := write.Form{}
	if out.form != nil {
		form = *out.form
	}
	encoder, dest, own := form.Encoder, form.Dest, form.Open != nil
	form.Plain, form.Layout = false, nil
	form.Route = func(rec memory.Pointer) string { return route(*memory.To[O](rec)) }
	form.Encoder = func() (write.Append, error) {
		if err := output.Routable(dest); err != nil {
			return nil, err
		}
		if route == nil {
			return nil, errors.New("Routed without a function")
		}
		if own {
			return nil, errors.New("Routed of Parts: an attempt has one part, whose writer may divide it")
		}
		return encoder()
	}
	return Output[O]{&form}
}
