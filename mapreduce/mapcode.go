package mapreduce

import (
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// mapCode is the user's Map for a file.
type mapCode struct {
	// all calls Map for each record while the attempt continues. The gate is open during Map. after
	// converts the error of Map or of a failed emit.
	all func(l *recordLoop, gate *memory.Gate, failed *error, after func(error) error) error
	// each calls around for each record; around gets the call of Map. It serves callers that do
	// more per record than all does.
	each func(r *splitReader, around func(mapRecord func() error) error) error
	// close is called after the last record; nil if the user has no Close.
	close func() error
}

// recordLoop is the bookkeeping of a loop over records.
type recordLoop struct {
	reader  *splitReader
	watch   *cluster.Watch
	records int64  // started
	report  func() // reports progress
}

// asked counts a record and reports whether stop must be called for it.
func (l *recordLoop) asked() bool {
	l.records++
	return l.watch.Asked() || l.records%cluster.PauseEvery == 0
}

// stop returns an error if the attempt must end, and counts as progress. It may block while the
// attempt is suspended.
func (l *recordLoop) stop() error {
	if l.records%cluster.PauseEvery != 0 && l.watch.GoesOn() {
		return nil
	}
	return l.pause()
}

func (l *recordLoop) pause() error {
	if l.records%reportEvery == 0 {
		l.report()
	}
	return l.watch.Halt()
}

// around returns a function for mapCode.each that runs code for each record while the attempt
// continues.
func (l *recordLoop) around(code func(mapRecord func() error) error) func(mapRecord func() error) error {
	return func(mapRecord func() error) error {
		var err error
		if l.asked() {
			err = l.stop()
		}
		if err == nil {
			err = code(mapRecord)
		}
		if err != nil {
			l.reader.number = l.records
		}
		return err
	}
}

func (b *typedJob[I, K, V, O]) startMap(t *Task, emit any) (mapCode, error) {
	m := Mapper[I, K, V]{Map: b.job.Map}
	if b.job.MapTask != nil {
		var err error
		if m, err = b.job.MapTask(t); err == nil && m.Map == nil {
			err = errNoMap
		}
		if err != nil {
			return mapCode{}, err
		}
	}
	b.debug.watchMap(t, &m.Map, &m.Close)
	to := emit.(func(K, V))
	code := mapCode{
		each: func(r *splitReader, around func(func() error) error) error {
			return eachRecord(&b.in, r, func(rec I) error { return m.Map(rec, to) }, around)
		},
		all: func(l *recordLoop, gate *memory.Gate, failed *error, after func(error) error) error {
			if b.in.lists != nil {
				return b.in.lists(l.reader, mapList(l, m.Map, to, gate, failed, after))
			}
			userMap := m.Map
			return b.in.read(l.reader, func(rec I) (err error) {
				if l.asked() {
					err = l.stop()
				}
				if err == nil {
					gate.Open()
					err = userMap(rec, to)
					gate.Shut()
					if err != nil || *failed != nil {
						err = after(err)
					}
				}
				if err != nil {
					l.reader.number = l.records
				}
				return err
			})
		},
	}
	if m.Close != nil {
		code.close = func() error { return m.Close(to) }
	}
	return code, nil
}

// eachRecord implements mapCode.each.
func eachRecord[I any](in *Input[I], r *splitReader, userMap func(I) error, around func(func() error) error) error {
	var rec I // the current record
	mapRecord := func() error { return userMap(rec) }
	return in.read(r, func(next I) error {
		rec = next
		return around(mapRecord)
	})
}

// mapList returns a function that maps a list of records. The gate stays open between records:
// nothing else emits meanwhile.
func mapList[I, K, V any](l *recordLoop, userMap func(I, func(K, V)) error, emit func(K, V), gate *memory.Gate, failed *error,
	after func(error) error,
) func(list []I) (int, error) {
	asked, canceled := l.watch.Flags()
	return func(list []I) (int, error) {
		gate.Open()
		defer gate.Shut()
		records, reader := l.records, l.reader
		defer func() { l.records = records }()
		for i := range list {
			reader.now = (*byte)(unsafe.Pointer(&list[i]))
			var err error
			if records++; atomic.LoadUint32(asked)|atomic.LoadUint32(canceled) != 0 || records%cluster.PauseEvery == 0 { // as l.asked
				gate.Shut()
				l.records = records
				err = l.stop()
				gate.Open()
			}
			if err == nil {
				if err = userMap(list[i], emit); err != nil || *failed != nil {
					err = after(err)
				}
			}
			if err != nil {
				reader.number = records
				return i, err
			}
		}
		return len(list), nil
	}
}

// filterCode returns the mapCode of a job without reduces.
func filterCode[I, O any](f Filter[I, O], in Input[I], t *Task, w *recordWriter) mapCode {
	emit := emitTo[O](w)
	mapRecord := func(rec I) error { return f.Map(rec, emit) }
	code := mapCode{
		each: func(r *splitReader, around func(func() error) error) error {
			return eachRecord(&in, r, mapRecord, around)
		},
		all: func(l *recordLoop, gate *memory.Gate, failed *error, after func(error) error) error {
			one := mapRecord
			if f.batched != nil && in.stable {
				take, flush := f.batched(emit)
				one, t.flush = take, func() error {
					gate.Open()
					return after(flush())
				}
			}
			return filterAll(&in, l, func(rec I) error {
				gate.Open()
				return after(one(rec))
			})
		},
	}
	if f.Close != nil {
		code.close = func() error { return f.Close(emit) }
	}
	return code
}

// filterAll calls one for each record while the attempt continues.
func filterAll[I any](in *Input[I], l *recordLoop, one func(I) error) error {
	begun := func(rec I) (err error) {
		if l.asked() {
			err = l.stop()
		}
		if err == nil {
			err = one(rec)
		}
		if err != nil {
			l.reader.number = l.records
		}
		return err
	}
	if in.lists == nil {
		return in.read(l.reader, begun)
	}
	return in.lists(l.reader, func(list []I) (int, error) {
		for i := range list {
			l.reader.now = (*byte)(unsafe.Pointer(&list[i]))
			if err := begun(list[i]); err != nil {
				return i, err
			}
		}
		return len(list), nil
	})
}
