package mapreduce

import (
	"sync/atomic"
	"unsafe"
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
	watch   *watch
	records int64  // begun
	tell    func() // progress of records
}

// goesOn counts a record that begins, and returns an error if the attempt must end. It may block while
// that is suspended.
func (l *recordLoop) goesOn() error {
	l.records++
	w := l.watch
	if atomic.LoadUint32(&w.life.Asked)|atomic.LoadUint32(&w.canceled) == 0 && l.records%pauseEvery != 0 {
		return nil
	}
	return l.stop()
}

// stop is the part of goesOn that few records need.
func (l *recordLoop) stop() error {
	l.watch.life.Sign()
	if l.records%pauseEvery != 0 && atomic.LoadUint32(&l.watch.canceled) == 0 {
		return nil
	}
	return l.pause()
}

func (l *recordLoop) pause() error {
	if l.records%tellEvery == 0 {
		l.tell()
	}
	return l.watch.halt()
}

// over is list for records that one is called for.
func (c mapCalls[I]) over(l *recordLoop, list []I) (int, error) {
	if c.list != nil {
		return c.list(l, list)
	}
	for i := range list {
		l.reader.now = (*byte)(unsafe.Pointer(&list[i]))
		err := l.goesOn()
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
		err := l.goesOn()
		if err == nil {
			err = one(rec)
		}
		if err != nil {
			l.reader.number = l.records
		}
		return err
	})
}
