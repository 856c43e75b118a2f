package codec

import (
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// IntegerWidth returns the bytes of a key of type t if combine.EmitNumbers can emit it (an integer
// of 4 or 8 bytes), otherwise 0.
func IntegerWidth(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if !Marshals(t) {
			return int(t.Size())
		}
	default:
	}
	return 0
}

// IntegerFlip returns the xor mask with which integers of type t, as unsigned, sort by value; 0 for
// other types.
func IntegerFlip(t reflect.Type) uint64 {
	if reflect.Int <= t.Kind() && t.Kind() <= reflect.Int64 {
		return 1 << (t.Bits() - 1)
	}
	return 0
}

// BitsOf returns the bits of *k, an integer of 4 or 8 bytes, as an unsigned number.
func BitsOf[K any](k *K) uint64 {
	at := memory.Of(k)
	if memory.SizeOf[K]() == 4 {
		return uint64(*memory.To[uint32](at))
	}
	return *memory.To[uint64](at)
}

// SetBits sets *k, an integer of 4 or 8 bytes, to the bits x, as BitsOf returns them.
func SetBits[K any](k *K, x uint64) { SetBitsAt(memory.Of(k), int(memory.SizeOf[K]()), x) }

// SetBitsAt is like SetBits, for an integer of size bytes at k.
func SetBitsAt(k memory.Pointer, size int, x uint64) {
	if size == 4 {
		*memory.To[uint32](k) = uint32(x)
		return
	}
	*memory.To[uint64](k) = x
}
