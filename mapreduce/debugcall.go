package mapreduce

import (
	"errors"
	"reflect"
)

// errRecordChanged is the error of a Map that writes into what it is given.
var errRecordChanged = errors.New("mapreduce: Map changed its record: it may be the input itself, copy what is to be changed")

// watcher wraps the user's functions of one attempt by reflection, so that no job has code of its
// own for it. It counts their calls, asks for interrupts, and lends them copies of bytes.
type watcher struct {
	*debugging
	id    AttemptID
	n     int64
	lent  []*loans // of the record, or of key and value
	reads string   // Map or Reduce
}

func newWatcher(d *debugging, t *Task, reads string, what ...string) *watcher {
	w := &watcher{debugging: d, id: t.id, reads: reads}
	for _, name := range what {
		w.lent = append(w.lent, &loans{what: name})
	}
	return w
}

// step counts a call.
func (w *watcher) step() error {
	w.n++
	if w.Interrupt == nil {
		return nil
	}
	return w.Interrupt(w.id, w.n)
}

// watching is what happens in place of a call of f.
type watching func(f reflect.Value, args []reflect.Value) error

// watchFunc puts a function into the place that f points to, of its type, that calls by with what
// was there and the arguments.
func watchFunc(f any, by watching) {
	place := reflect.ValueOf(f).Elem()
	was := reflect.ValueOf(place.Interface())
	place.Set(reflect.MakeFunc(place.Type(), func(args []reflect.Value) []reflect.Value {
		err := by(was, args)
		return []reflect.Value{reflect.ValueOf(&err).Elem()}
	}))
}

// call calls a function that returns an error; nil does nothing.
func call(f reflect.Value, args []reflect.Value) error {
	if f.IsNil() {
		return nil
	}
	err, _ := reflect.TypeAssert[error](f.Call(args)[0])
	return err
}

// emitter returns emit for one call.
func (c *userCall) emitter(emit reflect.Value) reflect.Value {
	return reflect.MakeFunc(emit.Type(), func(args []reflect.Value) []reflect.Value {
		if c.inPlace() {
			for _, v := range args {
				c.checkKept(v)
			}
			emit.Call(args)
		}
		return nil
	})
}

// checkKept notes bytes in an emitted value whose lifetime is over.
func (c *userCall) checkKept(v reflect.Value) {
	eachBytes(v, func(b []byte) {
		for _, l := range c.loans {
			if c.kept == nil && l.ended(b) {
				c.kept = l.keptError(c.who, callPlace())
			}
		}
	})
}

// sequence returns a sequence of which each item ends the loans of the one before it.
func (w *watcher) sequence(all reflect.Value, lent []*loans) reflect.Value {
	return reflect.MakeFunc(all.Type(), func(args []reflect.Value) []reflect.Value {
		yield := args[0]
		all.Call([]reflect.Value{reflect.MakeFunc(yield.Type(), func(items []reflect.Value) []reflect.Value {
			for i, l := range lent {
				l.end()
				items[i] = l.value(items[i])
			}
			return yield.Call(items)
		})})
		return nil
	})
}

// each wraps a function that is called once a record or a group, whose last argument is emit.
// prepare makes its other arguments.
func (w *watcher) each(prepare func(args []reflect.Value)) watching {
	return func(f reflect.Value, args []reflect.Value) error {
		if err := w.step(); err != nil {
			return err
		}
		defer func() {
			for _, l := range w.lent {
				l.end()
			}
		}()
		return w.watchCall(w.reads, w.lent, func(c *userCall) error {
			last := len(args) - 1
			prepare(args[:last])
			args[last] = c.emitter(args[last])
			err := call(f, args)
			if err == nil && w.reads == "Map" && w.lent[0].changed() {
				err = Permanent(errRecordChanged)
			}
			return err
		})
	}
}

// closing wraps a Close.
func (w *watcher) closing(f reflect.Value, args []reflect.Value) error {
	if err := w.step(); err != nil {
		return err
	}
	return w.watchCall("Close", w.lent, func(c *userCall) error {
		return call(f, []reflect.Value{c.emitter(args[0])})
	})
}

// lendRecord puts a copy in the place of the record.
func (w *watcher) lendRecord(args []reflect.Value) { args[0] = w.lent[0].value(args[0]) }

// lendGroup is lendRecord for a Reduce, whose arguments are a key and its values, or pairs.
func (w *watcher) lendGroup(args []reflect.Value) {
	if len(args) == 1 {
		args[0] = w.sequence(args[0], w.lent)
		return
	}
	args[0], args[1] = w.lent[0].value(args[0]), w.sequence(args[1], w.lent[1:])
}

// watchMap has the functions of a map attempt watched, which are where the arguments point to, if
// the plan is watched.
func (s *debugState) watchMap(t *Task, userMap, userClose any) bool {
	if s.debug == nil || t.ahead {
		return false
	}
	w := newWatcher(s.debug, t, "Map", "record")
	t.records = w.lent[0]
	watchFunc(userMap, w.each(w.lendRecord))
	watchFunc(userClose, w.closing)
	return true
}

// watchReduce is watchMap for a reduce attempt, which has one of two functions.
func (s *debugState) watchReduce(t *Task, userReduce, userPairs, userClose any) bool {
	if s.debug == nil {
		return false
	}
	w := newWatcher(s.debug, t, "Reduce", "key", "value")
	for _, f := range []any{userReduce, userPairs} {
		if !reflect.ValueOf(f).Elem().IsNil() {
			watchFunc(f, w.each(w.lendGroup))
		}
	}
	watchFunc(userClose, w.closing)
	return true
}
