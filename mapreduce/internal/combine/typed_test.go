package combine

import (
	"encoding/binary"
	"reflect"
	"unsafe"
)

// config has Options and Values of a type, in the form of the tests.
type config[V any] struct {
	Options
	combine func(a, b V) V
	adds    bool // combine is declared to be +
	append  func(dst []byte, v V) []byte
	decode  func(b []byte) (V, error)
}

// values returns the Values of a config. Sums need no functions.
func (c config[V]) values() Values {
	v := Values{Type: reflect.TypeFor[V]()}
	v.Bytes, _ = any(c.combine).(func(a, b []byte) []byte)
	if c.combine != nil {
		v.Fold = FoldOf(c.combine)
	}
	if c.append == nil && c.Sum {
		v.Append = func(dst []byte, v unsafe.Pointer) []byte {
			return binary.LittleEndian.AppendUint64(dst, *(*uint64)(v))
		}
		v.Decode = func(b []byte, v unsafe.Pointer) error {
			*(*uint64)(v) = binary.LittleEndian.Uint64(b)
			return nil
		}
	}
	if c.append != nil {
		v.Append = func(dst []byte, v unsafe.Pointer) []byte { return c.append(dst, *(*V)(v)) }
		v.Decode = func(b []byte, v unsafe.Pointer) (err error) {
			*(*V)(v), err = c.decode(b)
			return err
		}
	}
	return v
}

// table is a Table of values of type V.
type table[V any] struct {
	*Table
	config config[V]
}

func newTable[V any](c config[V]) *table[V] { return &table[V]{NewTable(c.Options, c.values()), c} }

// emit emits in the simplest way.
func (t *table[V]) emit(key []byte, v V) {
	t.sign()
	*(*V)(t.Next()) = v
	t.put(key)
}

// emitReused emits a value whose bytes the caller reuses.
func emitReused(t *table[[]byte], key, v []byte) {
	t.sign()
	*(*[]byte)(t.Next()) = v
	t.CopyValue()
	t.put(key)
}

// merge is a Merge of values of type V.
type merge[V any] struct{ *Merge }

func newMerge[V any](c config[V], segments []*Segment) *merge[V] {
	return &merge[V]{NewMerge(c.Options, c.values(), segments)}
}

func (m *merge[V]) Next() (key []byte, v V, ok bool) {
	key, at, ok := m.Merge.Next()
	if ok {
		v = *(*V)(at)
	}
	return key, v, ok
}

func (m *merge[V]) Numbers(keys []uint64, values []V) (n int, ok bool) {
	return m.Merge.Numbers(keys, unsafe.Pointer(unsafe.SliceData(values)), unsafe.Sizeof(*new(V)))
}

// emitterOf returns Emit for keys that are bytes.
func emitterOf[K, V any](t *table[V], put func(key unsafe.Pointer)) func(K, V) {
	return Emit[K, V](t.Table, put, t.Ready(reflect.TypeFor[K]()))
}

// emitNumbers returns the emit of a job with such values.
func emitNumbers[K, V any](t *table[V], flip uint64) func(K, V) {
	if t.config.Sum || t.config.adds {
		return *(*func(K, V))(t.ReadySums(reflect.TypeFor[V](), flip))
	}
	return EmitNumbers[K](t.Table, flip, t.config.combine)
}
