package read

import (
	"runtime"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Input yields the records of a split, in order, in batches. The records of a batch stay valid
// until yield returns. Before yield the input sets the Place of the batch; yield sets Place.Now to
// Place.Batch + i for record i. An error of yield ends the reading. An input that calls yield
// outside of YieldRun defers PlacePanic, because the map may panic.
type Input[I any] func(s *Reader, yield func(batch []I) error) error

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

// Singly returns a function that passes one record to yield, for records that share memory or come
// from user code.
func Singly[I any](yield func([]I) error) func(I) error {
	one := make([]I, 1)
	return func(rec I) error {
		one[0] = rec
		return yield(one)
	}
}

// Each returns a yield that calls one for each record of a batch, unless a record fails that cannot
// be skipped.
func Each[I any](s *Reader, one func(I) error) func(batch []I) error {
	return func(batch []I) error {
		first := s.Batch
		for i := range batch {
			s.Now = first + i
			s.Mapped++
			if err := one(batch[i]); err != nil {
				if err = s.RecordFailed(err); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// EnterRecord makes rec the record that comes next, alone.
func (p *Place) EnterRecord(rec []byte) {
	p.Enter(rec, func(b []byte) int { return len(b) })
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
