package engine

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// memory is a snapshot of all that can be reached from a pointer. Restoring it undoes later
// changes. Objects keep their addresses, so pointers between them stay valid; later objects become
// unreachable. Functions, strings and contents of channels are assumed not to change.
type memory struct {
	seen map[memoryKey]bool
	kept []keptMemory
	maps []keptMap
}

type memoryKey struct {
	at  unsafe.Pointer
	typ reflect.Type
	n   int
}

// keptMemory is a variable, or the elements of a slice, with a copy of the former content.
type keptMemory struct{ live, copy reflect.Value }

type keptMap struct {
	live         reflect.Value
	keys, values []reflect.Value
}

// remember returns a snapshot of all that the pointer p leads to.
func remember(p any) *memory {
	m := &memory{seen: map[memoryKey]bool{}}
	m.visit(reflect.ValueOf(p))
	return m
}

// restore restores the content of each variable, slice and map of the snapshot.
func (m *memory) restore() {
	for _, k := range m.kept {
		if k.live.Kind() == reflect.Slice {
			reflect.Copy(k.live, k.copy)
		} else {
			k.live.Set(k.copy)
		}
	}
	for _, k := range m.maps {
		k.live.Clear()
		for i, key := range k.keys {
			k.live.SetMapIndex(key, k.values[i])
		}
	}
}

// first reports whether n elements of a type are visited at this address for the first time.
func (m *memory) first(at unsafe.Pointer, t reflect.Type, n int) bool {
	k := memoryKey{at, t, n}
	if m.seen[k] {
		return false
	}
	m.seen[k] = true
	return true
}

// visit adds what v refers to, at any depth, to the snapshot.
func (m *memory) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*core.Policies]() || !m.first(v.UnsafePointer(), v.Type(), 1) {
			return // all Cores share the tables of policies
		}
		live := reflect.NewAt(v.Type().Elem(), v.UnsafePointer()).Elem() // settable, even if v is not
		m.keep(live)
		m.visit(live)
	case reflect.Slice:
		if v.Len() == 0 || !m.first(v.UnsafePointer(), v.Type(), v.Len()) {
			return
		}
		live := reflect.SliceAt(v.Type().Elem(), v.UnsafePointer(), v.Len())
		c := reflect.MakeSlice(reflect.SliceOf(v.Type().Elem()), v.Len(), v.Len())
		reflect.Copy(c, live)
		m.kept = append(m.kept, keptMemory{live, c})
		if refers(v.Type().Elem()) {
			for i := range live.Len() {
				m.visit(live.Index(i))
			}
		}
	case reflect.Array:
		if refers(v.Type().Elem()) {
			for i := range v.Len() {
				m.visit(v.Index(i))
			}
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			if refers(f.Type()) {
				m.visit(f)
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			m.visit(v.Elem())
		}
	case reflect.Map:
		m.visitMap(v)
	default:
	}
}

func (m *memory) keep(live reflect.Value) {
	c := reflect.New(live.Type()).Elem()
	c.Set(live)
	m.kept = append(m.kept, keptMemory{live, c})
}

func (m *memory) visitMap(v reflect.Value) {
	if v.IsNil() || !m.first(v.UnsafePointer(), v.Type(), 1) {
		return
	}
	at := v.UnsafePointer()
	k := keptMap{live: reflect.NewAt(v.Type(), unsafe.Pointer(&at)).Elem()}
	for it := k.live.MapRange(); it.Next(); {
		k.keys, k.values = append(k.keys, it.Key()), append(k.values, it.Value())
		m.visit(it.Value())
	}
	m.maps = append(m.maps, k)
}

var referring sync.Map // by type: what refers returned

// refers reports whether a value of type t may lead to other values that can change.
func refers(t reflect.Type) bool {
	if known, ok := referring.Load(t); ok {
		return known.(bool)
	}
	answer := leads(t)
	referring.Store(t, answer)
	return answer
}

func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Interface, reflect.Map:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if refers(f.Type) {
				return true
			}
		}
	default:
	}
	return false
}
