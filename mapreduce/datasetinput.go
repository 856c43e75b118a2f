package mapreduce

import (
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// read yields the records that begin in the split.
func (k *Dataset[T]) read(s *read.Reader, yield func([]T) error) error {
	each := k.decoded(s, read.Singly(yield))
	if k.form.Size > 0 {
		each = func(run []byte) error { return k.images(s, run, yield) }
	}
	return k.runs(s, func(at int64, run []byte) error {
		if err := s.Tick(int64(len(run))); err != nil {
			return err
		}
		return s.YieldRun(at, run, func(run []byte) error {
			s.Enter(run, k.form.Length)
			return each(run)
		})
	})
}

// images yields the records of a run without decoding: their stored form is that in memory.
func (k *Dataset[T]) images(s *read.Reader, run []byte, yield func([]T) error) error {
	s.Step = k.form.Size
	first := 0
	for batch := range slices.Chunk(memory.Cast[T](run), read.BatchRecords) {
		s.Batch = first
		if err := yield(batch); err != nil {
			return err
		}
		first += len(batch)
	}
	return nil
}

// decoded returns a function that decodes a run of records and yields them one by one.
func (k *Dataset[T]) decoded(s *read.Reader, yield func(T) error) func(run []byte) error {
	copyOf := func(rec T) T { return rec }
	if s.Copies != nil {
		copyOf = watch.Copier[T](s.Copies, watch.Views)
	}
	return func(run []byte) error {
		begins, at := []int{0}, 0
		return kept.Each(&k.form, run, func(rec T, b []byte) error {
			s.Begins, s.Batch, s.Now, begins[0] = begins, 0, 0, at
			at += len(b)
			return yield(copyOf(rec))
		})
	}
}

// runs yields the runs of records that begin in the split, with the offset of each in its part.
func (k *Dataset[T]) runs(s *read.Reader, yield func(at int64, run []byte) error) error {
	ref := kept.RefsOf(s.Source)[0]
	data, err := ref.Open()
	if err != nil {
		return err
	}
	defer data.Drop()
	from, end := int64(0), s.Split.Offset+s.Split.Length
	for i := range data.Len() {
		to := from + int64(data.Size(i))
		if to > s.Split.Offset && from < end {
			err := data.Look(i, s.Budget, func(block []byte) error {
				first, last := k.form.AtOrAfter(block, s.Split.Offset-from), k.form.AtOrAfter(block, end-from)
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
	return s.Tick(0)
}
