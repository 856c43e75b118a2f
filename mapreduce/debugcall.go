package mapreduce

import (
	"errors"
	"iter"
	"reflect"
)

// errRecordChanged is the error of a Map that writes into what it is given.
var errRecordChanged = errors.New("mapreduce: Map changed its record: it may be the input itself, copy what is to be changed")

// watcher counts the calls of an attempt and asks for interrupts.
type watcher struct {
	*debugging
	id AttemptID
	n  int64
}

func (w *watcher) step() error {
	w.n++
	if w.Interrupt == nil {
		return nil
	}
	return w.Interrupt(w.id, w.n)
}

// checkKept notes bytes in an emitted value whose lifetime is over.
func checkKept[T any](c *userCall, v T) {
	if c.kept != nil {
		return
	}
	eachBytes(reflect.ValueOf(&v).Elem(), func(b []byte) {
		for _, l := range c.loans {
			if c.kept == nil && l.ended(b) {
				c.kept = l.keptError(c.who, callPlace())
			}
		}
	})
}

// emitOne is emit for one call.
func emitOne[O any](c *userCall, emit func(O)) func(O) {
	return func(o O) {
		if c.inPlace() {
			checkKept(c, o)
			emit(o)
		}
	}
}

// emitTwo is emit of a pair for one call.
func emitTwo[K, V any](c *userCall, emit func(K, V)) func(K, V) {
	return func(k K, v V) {
		if c.inPlace() {
			checkKept(c, k)
			checkKept(c, v)
			emit(k, v)
		}
	}
}

// watchedRecords are how a map's calls are watched.
type watchedRecords[I any] struct {
	watcher
	records loans
	lend    func(I) I
}

func newWatchedRecords[I any](d *debugging, t *Task) *watchedRecords[I] {
	w := &watchedRecords[I]{watcher: watcher{debugging: d, id: t.id}, records: loans{what: "record"}}
	w.lend = lenderOf[I](&w.records)
	t.records = &w.records
	return w
}

// each runs a call for a record.
func (w *watchedRecords[I]) each(in I, code func(c *userCall, in I) error) error {
	if err := w.step(); err != nil {
		return err
	}
	defer w.records.end()
	return w.watchCall("Map", []*loans{&w.records}, func(c *userCall) error {
		err := code(c, w.lend(in))
		if err == nil && w.records.changed() {
			err = Permanent(errRecordChanged)
		}
		return err
	})
}

// last runs the call of Close.
func (w *watchedRecords[I]) last(code func(c *userCall) error) error {
	if err := w.step(); err != nil || code == nil {
		return err
	}
	return w.watchCall("Close", []*loans{&w.records}, code)
}

// watchMapper returns the functions of a map attempt, watched if the plan is.
func watchMapper[I, K, V any](d *debugging, t *Task, m Mapper[I, K, V]) Mapper[I, K, V] {
	if d == nil || t.ahead {
		return m
	}
	w := newWatchedRecords[I](d, t)
	watched := Mapper[I, K, V]{Map: func(in I, emit func(K, V)) error {
		return w.each(in, func(c *userCall, in I) error { return m.Map(in, emitTwo(c, emit)) })
	}}
	watched.Close = func(emit func(K, V)) error {
		if m.Close == nil {
			return w.last(nil)
		}
		return w.last(func(c *userCall) error { return m.Close(emitTwo(c, emit)) })
	}
	return watched
}

// watchFilter is watchMapper for jobs without reduces.
func watchFilter[I, O any](d *debugging, t *Task, f Filter[I, O]) Filter[I, O] {
	if d == nil {
		return f
	}
	w := newWatchedRecords[I](d, t)
	return Filter[I, O]{
		Map: func(in I, emit func(O)) error {
			return w.each(in, func(c *userCall, in I) error { return f.Map(in, emitOne(c, emit)) })
		},
		Close: func(emit func(O)) error {
			if f.Close == nil {
				return w.last(nil)
			}
			return w.last(func(c *userCall) error { return f.Close(emitOne(c, emit)) })
		},
	}
}

// watchReducer returns the functions of a reduce attempt, watched if the plan is.
func watchReducer[K, V, O any](d *debugging, t *Task, r Reducer[K, V, O]) Reducer[K, V, O] {
	if d == nil {
		return r
	}
	w := watcher{debugging: d, id: t.id}
	keys, values := &loans{what: "key"}, &loans{what: "value"}
	both := []*loans{keys, values}
	lendKey, lendValue := lenderOf[K](keys), lenderOf[V](values)
	group := func(code func(c *userCall) error) error {
		if err := w.step(); err != nil {
			return err
		}
		defer keys.end()
		defer values.end()
		return w.watchCall("Reduce", both, code)
	}
	watched := Reducer[K, V, O]{resumes: r.resumes}
	if r.Reduce != nil {
		watched.Reduce = func(key K, all iter.Seq[V], emit func(O)) error {
			return group(func(c *userCall) error {
				return r.Reduce(lendKey(key), func(yield func(V) bool) {
					for v := range all {
						values.end()
						if !yield(lendValue(v)) {
							return
						}
					}
				}, emitOne(c, emit))
			})
		}
	}
	if r.Pairs != nil {
		watched.Pairs = func(all iter.Seq2[K, V], emit func(O)) error {
			return group(func(c *userCall) error {
				return r.Pairs(func(yield func(K, V) bool) {
					for k, v := range all {
						keys.end()
						values.end()
						if !yield(lendKey(k), lendValue(v)) {
							return
						}
					}
				}, emitOne(c, emit))
			})
		}
	}
	watched.Close = func(emit func(O)) error {
		if err := w.step(); err != nil || r.Close == nil {
			return err
		}
		return w.watchCall("Close", both, func(c *userCall) error { return r.Close(emitOne(c, emit)) })
	}
	return watched
}
