package mapreduce

import (
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// mapCode calls the user's Map for the records of a file. It hides the types of the job.
type mapCode struct {
	// all calls Map for each record while the attempt continues. The gate is open during Map, so
	// that it may emit. after converts the error of Map or of a failed emit.
	all func(l *recordLoop, gate *memory.Gate, failed *error, after func(error) error) error
	// each calls around for each record; around calls Map by mapRecord. It serves callers that do
	// more per record than all does.
	each func(r *read.Reader, around func(mapRecord func() error) error) error
	// close is called after the last record; nil if the user has no Close.
	close func() error
}

// recordLoop counts records, reports progress and stops an attempt, for a loop over records.
type recordLoop struct {
	reader  *read.Reader
	watch   *cluster.Watch
	records int64  // begun so far
	report  func() // reports progress
}

// asked counts a record and reports whether stop must be called for it.
func (l *recordLoop) asked() bool {
	l.records++
	return l.watch.Asked() || l.records%cluster.PauseEvery == 0
}

// stop reports progress and returns an error if the attempt must end. It may block while the
// attempt is suspended.
func (l *recordLoop) stop() error {
	if l.records%cluster.PauseEvery != 0 && l.watch.GoesOn() {
		return nil
	}
	if l.records%reportEvery == 0 {
		l.report()
	}
	return l.watch.Halt()
}

// around returns the argument of mapCode.each: it calls code for each record while the attempt
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
			l.reader.Number = l.records
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
	if !t.sampling {
		t.records = b.watch.WrapMap(t.id, &m.Map, &m.Close)
	}
	to := emit.(func(K, V))
	code := mapCode{
		each: func(r *read.Reader, around func(func() error) error) error {
			return eachRecord(&b.in, r, func(rec I) error { return m.Map(rec, to) }, around)
		},
		all: func(l *recordLoop, gate *memory.Gate, failed *error, after func(error) error) error {
			return b.in.read(l.reader, mapBatch(l, m.Map, to, gate, failed, after))
		},
	}
	if m.Close != nil {
		code.close = func() error { return m.Close(to) }
	}
	return code, nil
}

// eachRecord implements mapCode.each for records of type I.
func eachRecord[I any](in *Input[I], r *read.Reader, userMap func(I) error, around func(func() error) error) error {
	var rec I // the current record
	mapRecord := func() error { return userMap(rec) }
	return in.read(r, func(batch []I) (int, error) {
		return read.EachOne(r, batch, func(next I) error {
			rec = next
			return around(mapRecord)
		})
	})
}

// mapBatch returns a function that maps the records of a batch while the attempt continues; after
// converts the error of a map or of its emits. The gate stays open between records: nothing else
// emits meanwhile.
func mapBatch[I, E any](l *recordLoop, userMap func(I, E) error, emit E, gate *memory.Gate, failed *error,
	after func(error) error,
) func(batch []I) (int, error) {
	asked, canceled := l.watch.Flags()
	return func(batch []I) (int, error) {
		reader := l.reader
		first := reader.Batch
		gate.Open()
		for i := range batch {
			reader.Now = first + i
			var err error
			if l.records++; atomic.LoadUint32(asked)|atomic.LoadUint32(canceled) != 0 || l.records%cluster.PauseEvery == 0 { // as l.asked
				gate.Shut()
				err = l.stop()
				gate.Open()
			}
			if err == nil {
				if err = userMap(batch[i], emit); err != nil || *failed != nil {
					err = after(err)
				}
			}
			if err != nil {
				gate.Shut()
				reader.Number = l.records
				return i, err
			}
		}
		gate.Shut()
		return len(batch), nil
	}
}

// filterCode returns the mapCode of a job without reduces: what Map emits goes to w.
func filterCode[I, O any](f Filter[I, O], in Input[I], w *recordWriter) mapCode {
	emit := emitTo[O](w)
	code := mapCode{
		each: func(r *read.Reader, around func(func() error) error) error {
			return eachRecord(&in, r, func(rec I) error { return f.Map(rec, emit) }, around)
		},
		all: func(l *recordLoop, gate *memory.Gate, failed *error, after func(error) error) error {
			mapped := mapBatch(l, f.Map, emit, gate, failed, after)
			if f.lookup == nil {
				return in.read(l.reader, mapped)
			}
			return in.read(l.reader, func(batch []I) (int, error) {
				f.lookup(batch)
				return mapped(batch)
			})
		},
	}
	if f.Close != nil {
		code.close = func() error { return f.Close(emit) }
	}
	return code
}
