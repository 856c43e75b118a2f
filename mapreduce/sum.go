package mapreduce

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// sumOf returns the Combine of a job that declares Sum. It is an error if the job has a Combine, too,
// or if values of type V cannot be added.
func sumOf[V any](combine func(a, b V) V) (func(a, b V) V, error) {
	if combine != nil {
		return nil, errors.New("both Combine and Sum are set")
	}
	switch reflect.TypeFor[V]().Kind() {
	case reflect.Int8, reflect.Uint8:
		return addAs[V](add8), nil
	case reflect.Int16, reflect.Uint16:
		return addAs[V](add16), nil
	case reflect.Int32, reflect.Uint32:
		return addAs[V](add32), nil
	case reflect.Int64, reflect.Uint64:
		return addAs[V](add64), nil
	case reflect.Int, reflect.Uint, reflect.Uintptr:
		return addAs[V](addInt), nil
	case reflect.Float32:
		return addAs[V](addFloat32), nil
	case reflect.Float64:
		return addAs[V](addFloat64), nil
	default:
		return nil, fmt.Errorf("sum needs values of an integer or float kind, not %s", reflect.TypeFor[V]())
	}
}

// addAs returns an addition of Ns as one of Vs.
//
// Invariant: N and V are integers of one size, or floats of one size: Go passes them alike.
func addAs[V, N any](f func(a, b N) N) func(a, b V) V { return *(*func(a, b V) V)(unsafe.Pointer(&f)) }

// Integers of one size are added alike, whether they have a sign or not.
func add8(a, b uint8) uint8           { return a + b }
func add16(a, b uint16) uint16        { return a + b }
func add32(a, b uint32) uint32        { return a + b }
func add64(a, b uint64) uint64        { return a + b }
func addInt(a, b uint) uint           { return a + b }
func addFloat32(a, b float32) float32 { return a + b }
func addFloat64(a, b float64) float64 { return a + b }
