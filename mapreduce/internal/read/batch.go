package read

import (
	"runtime"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Input yields the records of a split, in order, in batches:
//
//  1. The records of a batch stay valid until yield returns.
//  2. yield processes them in order, and sets Place.Now for each. It returns the number of records
//     that it has finished.
//  3. If yield returns an error, the record behind those has failed. The input calls RecordFailed,
//     and yields the rest of the batch if the record is skipped; YieldBatch does both.
type Input[I any] func(s *Reader, yield func(batch []I) (int, error)) error

// BatchRecords is the maximum number of records in a batch.
const BatchRecords = 32

// batchBytes limits the distance of the records of a batch, so that they are still in the cache
// when the map gets them.
const batchBytes = 4 << 10

// Place says where the current record is in the input, for errors about it. A run is a piece of the
// input that is yielded together: one or more batches of whole records.
type Place struct {
	At     int64                 // offset of the latest yielded run, uncompressed, or of the current record
	Data   []byte                // the run: whole records; nil if records are not bytes
	Begins []int                 // offsets in Data at which its records begin
	Step   int                   // size of each record, if Begins is nil
	Length func(rest []byte) int // returns the length of the record at the beginning of rest
	Batch  int                   // index in Begins of the first record of the batch
	Now    int                   // index in Begins of the current record; -1 before the first
}

// Enter makes run the run whose records come next; length returns the length of its first record.
func (p *Place) Enter(run []byte, length func([]byte) int) {
	p.Data, p.Length, p.Begins, p.Step, p.Batch, p.Now = run, length, nil, 0, 0, -1
}

// within returns the offset in Data of the current record.
func (p *Place) within() int {
	if p.Now < 0 || p.Begins == nil {
		return max(p.Now, 0) * p.Step
	}
	return p.Begins[p.Now]
}

// Offset returns the current record's offset in the source.
func (p *Place) Offset() int64 { return p.At + int64(p.within()) }

// YieldBatch passes records to yield; the first has index `first` in Place.Begins. If a record
// fails and is skipped, it yields those after it again.
func YieldBatch[I any](s *Reader, first int, batch []I, yield func([]I) (int, error)) error {
	for len(batch) > 0 {
		s.Batch = first
		n, err := yield(batch)
		if err == nil {
			return nil
		}
		if err = s.RecordFailed(err); err != nil {
			return err
		}
		first, batch = first+n+1, batch[n+1:]
	}
	return nil
}

// Singly returns a function that passes one record to yield, for records that share memory or come
// from user code.
func Singly[I any](yield func([]I) (int, error)) func(I) error {
	one := make([]I, 1)
	return func(rec I) error {
		one[0] = rec
		_, err := yield(one)
		return err
	}
}

// EachOne calls one for each record of a batch until it fails. It returns how many succeeded.
func EachOne[I any](s *Reader, batch []I, one func(I) error) (int, error) {
	for i := range batch {
		s.Now = s.Batch + i
		if err := one(batch[i]); err != nil {
			return i, err
		}
	}
	return len(batch), nil
}

// wholeLength is the Place.Length of a run that is a single record.
func wholeLength(b []byte) int { return len(b) }

// MapOne calls yield, which maps a single record: run, or a value without bytes if run is nil. If
// yield panics or exits its goroutine, MapOne returns an error that names the record.
func (s *Reader) MapOne(run []byte, yield func() error) (err error) {
	s.Enter(run, wholeLength)
	s.Now = 0
	err = fault.ErrExited
	defer s.PlacePanic(&err)
	return yield()
}

// mapRecord maps rec alone: the record of these bytes, by yield.
func mapRecord[I any](s *Reader, run []byte, rec I, yield func([]I) (int, error)) error {
	return s.MapOne(run, func() error { return YieldBatch(s, 0, []I{rec}, yield) })
}

// Stop makes the current record the one that a RecordError names; reading ends at it.
func (s *Reader) Stop() {
	rec := s.Data
	if rec != nil {
		rec = rec[s.within():]
		rec = rec[:s.Length(rec)]
	}
	s.head, s.size = string(rec[:min(len(rec), fault.HeadSize)]), len(rec)
	s.At = s.Offset()
	s.Enter(nil, nil)
}

// StopAt is like Stop, but the record is rec, which is at offset At.
func (s *Reader) StopAt(rec []byte) {
	s.Enter(rec, wholeLength)
	s.Stop()
}

// PlacePanic is deferred while a map runs. It turns the map's panic into an error of the current
// record. A memory fault outside of the Go heap stays a panic: its cause may be the input. If err
// is still ErrExited, the map has exited the goroutine, and PlacePanic notes the record.
func (s *Reader) PlacePanic(err *error) {
	v := recover()
	switch v := v.(type) {
	case nil:
		if *err != fault.ErrExited { //nolint:errorlint // what stood there from the beginning
			return
		}
	case fault.Thrown:
		*err = MapError(v.Err)
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		panic(v)
	default:
		*err = MapError(fault.NewPanicError(v))
	}
	if s.Now >= 0 {
		s.Stop()
	}
}
