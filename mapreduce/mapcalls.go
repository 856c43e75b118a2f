package mapreduce

import (
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// mapCalls are what is done with each record of a file.
type mapCalls[I any] struct {
	one func(rec I) error
	// list, if not nil, is the same for each record of a list in turn; it returns how many it is done
	// with.
	list func(r *recordLoop, list []I) (int, error)
}

// recordLoop is what a loop over records sees to beside them.
type recordLoop struct {
	reader  *splitReader
	watch   *cluster.Watch
	records int64  // begun
	tell    func() // progress of records
}

// asked reports whether, for the record that begins, stop is to be called.
func (l *recordLoop) asked() bool {
	l.records++
	return l.watch.Asked() || l.records%cluster.PauseEvery == 0
}

// stop returns an error if the attempt must end, and is a sign of life. It may block while the attempt
// is suspended.
func (l *recordLoop) stop() error {
	if l.records%cluster.PauseEvery != 0 && l.watch.GoesOn() {
		return nil
	}
	return l.pause()
}

func (l *recordLoop) pause() error {
	if l.records%tellEvery == 0 {
		l.tell()
	}
	return l.watch.Halt()
}

// over is list for records that one is called for.
func (c mapCalls[I]) over(l *recordLoop, list []I) (int, error) {
	if c.list != nil {
		return c.list(l, list)
	}
	for i := range list {
		l.reader.now = (*byte)(unsafe.Pointer(&list[i]))
		var err error
		if l.asked() {
			err = l.stop()
		}
		if err == nil {
			err = c.one(list[i])
		}
		if err != nil {
			l.reader.number = l.records
			return i, err
		}
	}
	return len(list), nil
}

// all reads the records of an input.
func (c mapCalls[I]) all(in Input[I], l *recordLoop) error {
	if in.lists != nil && l.reader.skips == nil {
		return in.lists(l.reader, func(list []I) (int, error) { return c.over(l, list) })
	}
	one := c.one
	return in.read(l.reader, func(rec I) error {
		var err error
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
	})
}

// mapList is mapCalls.list for a map that leaves nothing out. The gate is open from record to record:
// nothing else emits in between.
func mapList[I, K, V any](m Mapper[I, K, V], col *collector[K, V], after func(error) error,
) func(l *recordLoop, list []I) (int, error) {
	gate, failed, emit, userMap := col.gate, col.failed, col.emit, m.Map
	return func(l *recordLoop, list []I) (int, error) {
		gate.Open()
		defer gate.Shut()
		records, reader := l.records, l.reader
		asked, canceled := l.watch.Flags()
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
