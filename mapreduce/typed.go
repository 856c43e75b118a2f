package mapreduce

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// errOtherType is wrapped by the error of [ReadTyped] over records of another type.
var errOtherType = errors.New("records of another type")

// Typed writes records in the engine's binary form, for [ReadTyped] in a later job: it is smaller
// and faster to read than text. O must be valid as a value type of a job. Each part begins with the
// name and structure of O. A later version of this module may change the form and then rejects old
// files: do not use it as an archive.
func Typed[O any](to Destination) Output[O] {
	v, wrong := codec.Value[O]()
	t := reflect.TypeFor[O]()
	out := Output[O]{write.Coded(t, to, wrong, func() write.Append { return codec.Framed(v.Appender(false)) })}
	if head := typedMagic + t.String() + "\n"; wrong == nil {
		head += structureOf(t)
		out.form.Head = append(binary.AppendUvarint(nil, uint64(len(head))), head...)
	}
	return out
}

// ReadTyped yields the records that [Typed] has written, usually from Files("DIR"). Each file is
// one split, because record boundaries cannot be found within a file: the job has as many maps as
// the earlier one had parts. Byte slices in a record are valid until the map returns.
//
// If the type of the records differs in structure (names and types of fields, in order), the error
// names both types. The name of the type itself does not matter, unless it has MarshalBinary.
func ReadTyped[O any](sources ...Source) Input[O] {
	v, wrong := codec.Value[O]()
	in := Input[O]{sources: sources, plan: cluster.InputPlan{Whole: true, Wrong: wrong}}
	in.read = func(r *read.Reader, yield func([]O) error) error {
		decode, begun := v.Decoder(), false
		return read.Decoded(read.Frames, func(rec []byte) (o O, err error) {
			if !begun {
				begun = true
				return o, checkHead(rec, reflect.TypeFor[O]())
			}
			o, err = decode(rec)
			return o, BadRecord(err)
		})(r, yield)
	}
	return in
}

// typedMagic is the beginning of the first frame of a typed part.
const typedMagic = "tarry typed 1\n"

// checkHead returns an error unless head, a file's first frame, describes records of type t.
func checkHead(head []byte, t reflect.Type) error {
	text, found := strings.CutPrefix(string(head), typedMagic)
	name, made, whole := strings.Cut(text, "\n")
	switch {
	case !found || !whole:
		return Permanent(errors.New("not the beginning of what Typed writes"))
	case made != structureOf(t):
		return Permanent(fmt.Errorf("%w: the file has %s, %s, the job reads %s, %s", errOtherType, name, made, t, structureOf(t)))
	}
	return ErrNoRecord
}

// structureOf describes the encoding of a type: types with equal descriptions can read each other's
// records.
func structureOf(t reflect.Type) string {
	if codec.Marshals(t) {
		return t.PkgPath() + "." + t.Name()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return fmt.Sprintf("%s of %d bits", t.Kind(), t.Bits())
	case reflect.Slice:
		return "[]" + structureOf(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), structureOf(t.Elem()))
	case reflect.Struct:
		var fields []string
		for f := range t.Fields() {
			if f.Name != "_" {
				fields = append(fields, f.Name+" "+structureOf(f.Type))
			}
		}
		return "{" + strings.Join(fields, "; ") + "}"
	default:
		return t.Kind().String()
	}
}
