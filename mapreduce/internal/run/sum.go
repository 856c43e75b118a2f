package run

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// setSum sets the Combine at pointer f to the addition of values of type t. It returns an error if
// the job has a Combine, too, or if such values cannot be added.
func setSum(f any, combines bool, t reflect.Type) error {
	if err := OneOf("Combine", combines, "Sum", true, true); err != nil {
		return err
	}
	add, ok := additions[t.Kind()]
	if !ok {
		return fmt.Errorf("sum needs values of an integer or float kind, not %s", t)
	}
	memory.At(reflect.ValueOf(f)).Value(add.Type()).Set(add)
	return nil
}

// additions has a func(a, b V) V for each kind of V. Go passes all types of a kind the same way.
var additions = map[reflect.Kind]reflect.Value{
	reflect.Int: sumOf[int](), reflect.Int8: sumOf[int8](), reflect.Int16: sumOf[int16](),
	reflect.Int32: sumOf[int32](), reflect.Int64: sumOf[int64](),
	reflect.Uint: sumOf[uint](), reflect.Uint8: sumOf[uint8](), reflect.Uint16: sumOf[uint16](),
	reflect.Uint32: sumOf[uint32](), reflect.Uint64: sumOf[uint64](), reflect.Uintptr: sumOf[uintptr](),
	reflect.Float32: sumOf[float32](), reflect.Float64: sumOf[float64](),
}

func sumOf[V cmp.Ordered]() reflect.Value { return reflect.ValueOf(func(a, b V) V { return a + b }) }
