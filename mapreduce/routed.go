package mapreduce

import (
	"errors"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Routed is out with several files a task: each record goes to the file that route names, such as
// errors-r-00003 for "errors" in reduce 3 (Hadoop's MultipleOutputs), and to the usual part if it
// names none (""). A task's files are committed together. out goes to a directory: Dir, ReplacedDir,
// InFS or InDFS. route runs in many attempts at once.
//
// A name is 1 to 100 bytes of UTF-8, without slash, backslash or control characters; "part", what
// begins with "part-", and what begins with "_" or "." are the engine's. Any other is an error that
// is marked by [Bad]. Files("DIR/errors-*") reads back what went there. An attempt holds at most 64
// files open: it closes the one written to longest ago and writes on later, in a local directory or
// an [OutputFS] that has Append. To InFS without that, and to a store, a 65th name is an error; to InDFS, whose
// files lie in memory open or not, all stay open.
func Routed[O any](out Output[O], route func(rec O) string) Output[O] {
	form := outputForm{}
	if out.outputForm != nil {
		form = *out.outputForm
	}
	check, dest, own := form.checkType, form.dest, form.own
	form.plain, form.layout = false, nil
	form.route = func(rec unsafe.Pointer) string { return route(*(*O)(rec)) }
	form.checkType = func() error {
		if err := output.Routable(dest); err != nil {
			return err
		}
		if route == nil {
			return errors.New("Routed without a function")
		}
		if own {
			return errors.New("Routed of Parts: an attempt has one part, whose writer may divide it")
		}
		if check != nil {
			return check()
		}
		return nil
	}
	return Output[O]{&form}
}

// router writes the records of an attempt to the files of their names.
type router struct {
	*output.Routes
	route  func(rec unsafe.Pointer) string
	encode appendRecord
}

// write encodes a record, which stays until settle.
func (r *router) write(rec unsafe.Pointer) error {
	name, err := r.Named(r.route(rec))
	if err != nil {
		return err
	}
	r.Buf, err = r.encode(r.Buf, rec)
	r.Hold(name)
	return err
}
