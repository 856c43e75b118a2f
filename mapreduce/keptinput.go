package mapreduce

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// read yields the records that begin in the split.
func (k *Kept[T]) read(s *splitReader, yield func([]T) (int, error)) error {
	each := k.decoded(s, singly(yield))
	if k.form.Size > 0 {
		each = func(run []byte) error { return k.images(s, run, yield) }
	}
	return k.runs(s, func(at int64, run []byte) (err error) {
		if err := s.tick(int64(len(run))); err != nil {
			return err
		}
		s.begin(at, len(run))
		s.enter(run, k.form.Length)
		err = fault.ErrExited
		defer s.placePanic(&err)
		return each(run)
	})
}

// images yields the records of a run in which they lie as in memory (see package kept).
func (k *Kept[T]) images(s *splitReader, run []byte, yield func([]T) (int, error)) error {
	s.step = k.form.Size
	first := 0
	for batch := range slices.Chunk(memory.Cast[T](run), batchRecords) {
		if err := yieldBatch(s, first, batch, yield); err != nil {
			return err
		}
		first += len(batch)
	}
	return nil
}

// decoded returns a function that yields the records of a run one by one.
func (k *Kept[T]) decoded(s *splitReader, yield func(T) error) func(run []byte) error {
	copyOf := func(rec T) T { return rec }
	if s.task != nil && s.task.records != nil {
		copyOf = watch.Copier[T](s.task.records, watch.Views)
	}
	return func(run []byte) error {
		begins, at := []int{0}, 0
		return k.form.Each(run, func(rec T, b []byte) error {
			s.begins, s.batch, s.now, begins[0] = begins, 0, 0, at
			at += len(b)
			err := yield(copyOf(rec))
			if err != nil {
				err = s.recordFailed(err)
			}
			return err
		})
	}
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
