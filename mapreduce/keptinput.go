package mapreduce

import (
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// read yields the records that begin in the split.
func (k *Kept[T]) read(s *splitReader, yield func(T) error) error {
	return k.runs(s, func(at int64, run []byte) error { return k.readRun(s, at, run, yield) })
}

// readLists is read for records that are images (see package kept).
func (k *Kept[T]) readLists(s *splitReader, yield func(list []T) (int, error)) error {
	return k.runs(s, func(at int64, run []byte) error { return k.readList(s, at, run, yield) })
}

// runs yields the runs of records that begin in the split, with the offset of each in its part.
func (k *Kept[T]) runs(s *splitReader, yield func(at int64, run []byte) error) error {
	ref := kept.RefsOf(s.source)[0]
	data, err := ref.Open()
	if err != nil {
		return err
	}
	defer data.Drop()
	from, end := int64(0), s.split.Offset+s.split.Length
	for i := range data.Len() {
		to := from + int64(data.Size(i))
		if to > s.split.Offset && from < end {
			err := data.Look(i, s.budget, func(block []byte) error {
				first, last := k.form.AtOrAfter(block, s.split.Offset-from), k.form.AtOrAfter(block, end-from)
				if first == last {
					return nil
				}
				return yield(from+int64(first), block[first:last])
			})
			if err != nil {
				return ref.Damaged(data, err)
			}
		}
		from = to
	}
	return s.tick(0)
}

// readRun yields the records of a run at an offset of its part.
func (k *Kept[T]) readRun(s *splitReader, at int64, run []byte, yield func(T) error) (err error) {
	if err := s.tick(int64(len(run))); err != nil {
		return err
	}
	s.begin(at, len(run))
	s.first = unsafe.SliceData(run)
	err = fault.ErrExited
	defer s.placePanic(run, &s.now, k.form.Length, &err)
	copyOf := func(rec T) T { return rec }
	if s.task != nil && s.task.records != nil {
		copyOf = copierOf[T](s.task.records, isView)
	}
	return k.form.Each(run, func(rec T, b []byte) error {
		s.now = unsafe.SliceData(b)
		err := yield(copyOf(rec))
		if err != nil {
			err = s.recordFailed(run, b, err)
		}
		return err
	})
}

// readList is readRun for records that are images.
func (k *Kept[T]) readList(s *splitReader, at int64, run []byte, yield func(list []T) (int, error)) (err error) {
	if err := s.tick(int64(len(run))); err != nil {
		return err
	}
	s.begin(at, len(run))
	s.first = unsafe.SliceData(run)
	err = fault.ErrExited
	defer s.placePanic(run, &s.now, k.form.Length, &err)
	n, err := yield(memory.Cast[T](run))
	if err != nil && n*k.form.Size < len(run) {
		err = s.recordFailed(run, run[n*k.form.Size:][:k.form.Size], err)
	}
	return err
}
