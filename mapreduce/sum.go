package mapreduce

import (
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// setSum sets the Combine at pointer f to the addition of values of type t. It returns an error if
// the job has a Combine, too, or if such values cannot be added.
//
// Invariant: Go passes all integer types of one size the same way, and all floats of one size.
func setSum(f any, combines bool, t reflect.Type) error {
	if err := oneOf("Combine", combines, "Sum", true, true); err != nil {
		return err
	}
	place := memory.At(reflect.ValueOf(f))
	switch t.Kind() {
	case reflect.Int8, reflect.Uint8:
		*memory.To[func(a, b uint8) uint8](place) = add8
	case reflect.Int16, reflect.Uint16:
		*memory.To[func(a, b uint16) uint16](place) = add16
	case reflect.Int32, reflect.Uint32:
		*memory.To[func(a, b uint32) uint32](place) = add32
	case reflect.Int64, reflect.Uint64:
		*memory.To[func(a, b uint64) uint64](place) = add64
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		*memory.To[func(a, b uint) uint](place) = addInt
	case reflect.Float32:
		*memory.To[func(a, b float32) float32](place) = addFloat32
	case reflect.Float64:
		*memory.To[func(a, b float64) float64](place) = addFloat64
	default:
		return fmt.Errorf("sum needs values of an integer or float kind, not %s", t)
	}
	return nil
}

// Signed and unsigned integers of one size are added alike.
func add8(a, b uint8) uint8           { return a + b }
func add16(a, b uint16) uint16        { return a + b }
func add32(a, b uint32) uint32        { return a + b }
func add64(a, b uint64) uint64        { return a + b }
func addInt(a, b uint) uint           { return a + b }
func addFloat32(a, b float32) float32 { return a + b }
func addFloat64(a, b float64) float64 { return a + b }
