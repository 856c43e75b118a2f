package watch

import (
	"errors"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// ErrRecordChanged is the error of a job whose Map modifies its record.
var ErrRecordChanged = errors.New("mapreduce: Map changed its record: it may be the input itself, copy what is to be changed")

// watcher checks the calls of the user's functions in one attempt, by reflection, so that no code
// is compiled per job. It counts them and passes copies of byte slices.
type watcher struct {
	*State
	id     attempt.ID
	n      int64
	copies []*Copies // copies of the record, or of key and value
	reads  string    // Map or Reduce
}

func newWatcher(s *State, id attempt.ID, reads string, what ...string) *watcher {
	w := &watcher{State: s, id: id, reads: reads}
	for _, name := range what {
		w.copies = append(w.copies, &Copies{what: name})
	}
	return w
}

// step counts a call of user code. It returns an error if DebugOptions.Interrupt fails the attempt.
func (w *watcher) step() error {
	w.n++
	if w.options.Interrupt == nil {
		return nil
	}
	return w.options.Interrupt(w.id, w.n)
}

// watching is called in place of the user's function f, which it may call.
type watching func(f reflect.Value, args []reflect.Value) error

// watchFunc replaces the function at pointer f: each call calls watch(original, arguments).
func watchFunc(f any, watch watching) {
	place := reflect.ValueOf(f).Elem()
	was := reflect.ValueOf(place.Interface())
	place.Set(reflect.MakeFunc(place.Type(), func(args []reflect.Value) []reflect.Value {
		err := watch(was, args)
		return []reflect.Value{reflect.ValueOf(&err).Elem()}
	}))
}

// call calls f with args and returns its error; if f is nil, it does nothing.
func call(f reflect.Value, args []reflect.Value) error {
	if f.IsNil() {
		return nil
	}
	err, _ := reflect.TypeAssert[error](f.Call(args)[0])
	return err
}

// emitter returns an emit function for call c. It checks from where it is called, and that the
// emitted bytes are still valid.
func (c *userCall) emitter(emit reflect.Value) reflect.Value {
	return reflect.MakeFunc(emit.Type(), func(args []reflect.Value) []reflect.Value {
		if c.inPlace() {
			for _, l := range c.copies {
				for _, v := range args {
					l.CheckEmitted(v)
				}
			}
			emit.Call(args)
		}
		return nil
	})
}

// CheckEmitted makes the call fail if v, which user code emits, has bytes that are no longer valid.
func (l *Copies) CheckEmitted(v reflect.Value) {
	eachBytes(v, func(b []byte) {
		if l.kept == "" && l.ended(b) {
			l.kept = callPlace()
		}
	})
}

// sequence returns an iterator over copies of the items of all; each item ends the one before.
func (w *watcher) sequence(all reflect.Value, copies []*Copies) reflect.Value {
	return reflect.MakeFunc(all.Type(), func(args []reflect.Value) []reflect.Value {
		yield := args[0]
		all.Call([]reflect.Value{reflect.MakeFunc(yield.Type(), func(items []reflect.Value) []reflect.Value {
			for i, l := range copies {
				l.end()
				items[i] = l.value(items[i])
			}
			return yield.Call(items)
		})})
		return nil
	})
}

// each returns the replacement of a Map or Reduce. prepare replaces all arguments but emit, the
// last one, by copies.
func (w *watcher) each(prepare func(args []reflect.Value)) watching {
	return func(f reflect.Value, args []reflect.Value) error {
		if err := w.step(); err != nil {
			return err
		}
		defer func() {
			for _, l := range w.copies {
				l.end()
			}
		}()
		return w.watchCall(w.reads, w.copies, func(c *userCall) error {
			last := len(args) - 1
			prepare(args[:last])
			args[last] = c.emitter(args[last])
			err := call(f, args)
			if err == nil && w.reads == "Map" && w.copies[0].changed() {
				err = fault.Permanent(ErrRecordChanged)
			}
			return err
		})
	}
}

// closing is called in place of f, the user's Close, and checks what f emits and when.
func (w *watcher) closing(f reflect.Value, args []reflect.Value) error {
	if err := w.step(); err != nil {
		return err
	}
	return w.watchCall("Close", w.copies, func(c *userCall) error {
		return call(f, []reflect.Value{c.emitter(args[0])})
	})
}

// copyRecord replaces the first argument of a Map, the record, by a copy.
func (w *watcher) copyRecord(args []reflect.Value) { args[0] = w.copies[0].value(args[0]) }

// copyGroup replaces a Reduce's arguments but emit by copies: a key and its values, or pairs, or a
// key, its left values and its right ones.
func (w *watcher) copyGroup(args []reflect.Value) {
	last := len(args) - 1
	if last == 0 {
		args[0] = w.sequence(args[0], w.copies[:2])
		return
	}
	for i := range last {
		args[i] = w.copies[2*i].value(args[i])
	}
	args[last] = w.sequence(args[last], w.copies[1:2])
}

// WrapMap replaces, in debug mode, the functions at pointers userMap and userClose by ones that
// check them. It returns the copies of records that the map gets, or nil without debug mode.
func (s *State) WrapMap(id attempt.ID, userMap, userClose any) *Copies {
	if !s.on {
		return nil
	}
	w := newWatcher(s, id, "Map", "record")
	watchFunc(userMap, w.each(w.copyRecord))
	watchFunc(userClose, w.closing)
	return w.copies[0]
}

// WrapReduce is WrapMap for a reduce attempt, with pointers to its functions; those that are nil
// stay so. userClose is a pointer to a Close, or nil. It reports whether debug mode is on.
func (s *State) WrapReduce(id attempt.ID, userClose any, functions ...any) bool {
	if !s.on {
		return false
	}
	w := newWatcher(s, id, "Reduce", "key", "value", "left value")
	for _, f := range functions {
		if !reflect.ValueOf(f).Elem().IsNil() {
			watchFunc(f, w.each(w.copyGroup))
		}
	}
	watchFunc(userClose, w.closing)
	return true
}
