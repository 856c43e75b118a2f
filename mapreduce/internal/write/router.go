package write

import (
	"cmp"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// router writes the records of an attempt to the files that route names.
type router struct {
	*output.Routes
	part   *output.PartWriter
	route  func(rec memory.Pointer) string
	encode Append
}

func (r *router) write(rec memory.Pointer, held bool) error {
	name, err := r.Named(r.route(rec))
	if err != nil {
		return err
	}
	r.Buf, err = r.encode(r.Buf, rec)
	r.Hold(name)
	if err != nil || held {
		return err
	}
	return r.Settle()
}

func (r *router) end(failed error) error { return cmp.Or(failed, r.Close(failed), r.part.Close()) }
