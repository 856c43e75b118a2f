package run

import (
	"errors"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// MapCode calls the user's Map for the records of a file. It hides the types of the job.
type MapCode struct {
	// run calls Map for each record while the attempt continues. If around is not nil, it is called
	// in place of Map, and calls Map by mapRecord.
	run func(l *recordLoop, around func(mapRecord func() error) error) error
	// close is called after the last record; nil if the user has no Close.
	close func() error
}

// recordLoop counts records, reports progress and stops an attempt, for a loop over records.
type recordLoop struct {
	reader *read.Reader
	watch  *cluster.Watch
	gate   *memory.Gate      // open while Map runs, so that it may emit
	failed *error            // first error of emit
	after  func(error) error // converts the error of Map, or of a failed emit
	report func()            // reports progress
}

// stop reports progress and returns an error if the attempt must end. It may block while the
// attempt is suspended.
func (l *recordLoop) stop() error {
	if l.reader.Mapped%cluster.PauseEvery != 0 && l.watch.GoesOn() {
		return nil
	}
	if l.reader.Mapped%reportEvery == 0 {
		l.report()
	}
	return l.watch.Halt()
}

// errNoMap is the error for an invalid result of the user's MapTask.
var errNoMap = fault.Permanent(errors.New("MapTask returned a Mapper or Filter without Map"))

// UserMap has the functions of a Mapper or a Filter, which call an emit of type E.
type UserMap[I, E any] struct {
	Map   func(in I, emit E) error
	Close func(emit E) error
}

// CodeOf returns the code of a map attempt for a file, which calls the functions of m with emit. In
// debug mode it checks them.
func CodeOf[I, E any](t *task.Task, in read.Input[I], m UserMap[I, E], emit E, s *watch.State) (code MapCode, err error) {
	if m.Map == nil {
		return code, errNoMap
	}
	if !t.Alone {
		t.Records = s.WrapMap(t.ID, &m.Map, &m.Close)
	}
	code.run = func(l *recordLoop, around func(mapRecord func() error) error) error {
		if around == nil {
			return in(l.reader, mapBatch(l, m.Map, emit))
		}
		var rec I // the current record
		mapRecord := func() error { return m.Map(rec, emit) }
		return in(l.reader, mapBatch(l, func(next I, _ E) error {
			rec = next
			return around(mapRecord)
		}, emit))
	}
	if m.Close != nil {
		code.close = func() error { return m.Close(emit) }
	}
	return code, nil
}

// Alone maps a split outside of an attempt, for a sample or a small feed. start starts the map;
// around is as for MapCode.run.
func Alone(t *task.Task, src input.Source, split cluster.Split, start func() (MapCode, error), around func(mapRecord func() error) error) error {
	t.Input, t.Source, t.Counters, t.Alone = src.Name(), split.Source, new(counter.Set), true
	code, err := start()
	if err != nil {
		return err
	}
	t.Reader = &read.Reader{Ctx: t.Ctx, Windows: read.UsualWindows(), Source: src, Split: split}
	w, stop := cluster.NewWatch(t.Ctx, new(cluster.Resources))
	defer stop()
	gate := memory.NewGate(nil)
	l := &recordLoop{reader: t.Reader, watch: w, gate: &gate, failed: new(error), after: read.MapError, report: func() {}}
	return t.Reader.LocateError(code.run(l, around))
}

// mapBatch returns a function that maps the records of a batch while the attempt continues. The
// gate stays open between records: nothing else emits meanwhile.
func mapBatch[I, E any](l *recordLoop, userMap func(I, E) error, emit E) func(batch []I) error {
	asked, canceled := l.watch.Flags()
	gate, failed, after := l.gate, l.failed, l.after
	return func(batch []I) error {
		reader := l.reader
		first := reader.Batch
		gate.Open()
		for i := range batch {
			reader.Now = first + i
			var err error
			if reader.Mapped++; atomic.LoadUint32(asked)|atomic.LoadUint32(canceled) != 0 || reader.Mapped%cluster.PauseEvery == 0 {
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
				if err = reader.RecordFailed(err); err != nil {
					return err
				}
				gate.Open() // for the rest of the batch
			}
		}
		gate.Shut()
		return nil
	}
}
