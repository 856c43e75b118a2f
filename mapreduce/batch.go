package mapreduce

import (
	"runtime"

	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// reader yields the records of a split, in order, in batches:
//
//  1. The records of a batch stay valid until yield returns.
//  2. yield processes them in order, and sets place.now for each. It returns the number of records
//     that it has finished.
//  3. If yield returns an error, the record behind those has failed. The reader calls recordFailed,
//     and yields the rest of the batch if the record is skipped; yieldBatch does both.
type reader[I any] func(s *splitReader, yield func(batch []I) (int, error)) error

// A batch has at most batchRecords records, as many as a broadcast join looks up at a time. Records
// that are bytes share a batch only while they begin within batchBytes, so that they are still in
// the cache when they are mapped.
const (
	batchRecords = combine.LookupBatchSize
	batchBytes   = 4 << 10
)

// place tells where the records of a batch are.
type place struct {
	at     int64                 // offset of the latest yielded run, uncompressed, or of the current record
	data   []byte                // the run: whole records; nil if records are not bytes
	begins []int                 // of the records in data
	step   int                   // distance of the records, if begins is nil
	length func(rest []byte) int // returns the length of the record at the beginning of rest
	batch  int                   // index in begins of the first record of the batch
	now    int                   // index in begins of the current record; -1 before the first
}

// enter notes a run of records.
func (p *place) enter(run []byte, length func([]byte) int) {
	p.data, p.length, p.begins, p.step, p.batch, p.now = run, length, nil, 0, 0, -1
}

// within returns where in data the current record begins.
func (p *place) within() int {
	if p.now < 0 || p.begins == nil {
		return max(p.now, 0) * p.step
	}
	return p.begins[p.now]
}

// offset returns the offset of the current record.
func (p *place) offset() int64 { return p.at + int64(p.within()) }

// yieldBatch yields records, of which the first has an index in place.begins. It yields the rest
// again if a record fails and is skipped.
func yieldBatch[I any](s *splitReader, first int, batch []I, yield func([]I) (int, error)) error {
	for len(batch) > 0 {
		s.batch = first
		n, err := yield(batch)
		if err == nil {
			return nil
		}
		if err = s.recordFailed(err); err != nil {
			return err
		}
		first, batch = first+n+1, batch[n+1:]
	}
	return nil
}

// singly returns a function that yields a batch of one record. It is for records that share memory
// or come from user code.
func singly[I any](yield func([]I) (int, error)) func(I) error {
	one := make([]I, 1)
	return func(rec I) error {
		one[0] = rec
		_, err := yield(one)
		return err
	}
}

// eachOne processes the records of a batch one by one.
func eachOne[I any](s *splitReader, batch []I, one func(I) error) (int, error) {
	for i := range batch {
		s.now = s.batch + i
		if err := one(batch[i]); err != nil {
			return i, err
		}
	}
	return len(batch), nil
}

// wholeLength is the place.length of a run of one record.
func wholeLength(b []byte) int { return len(b) }

// mapOne calls yield, which maps one record, all of run; run is nil if records are not bytes. If
// yield panics or exits its goroutine, the error names that record.
func (s *splitReader) mapOne(run []byte, yield func() error) (err error) {
	s.enter(run, wholeLength)
	s.now = 0
	err = fault.ErrExited
	defer s.placePanic(&err)
	return yield()
}

// stop makes at the offset of the current record, at which reading ends.
func (s *splitReader) stop() {
	rec := s.data
	if rec != nil {
		rec = rec[s.within():]
		rec = rec[:s.length(rec)]
	}
	s.head, s.size = string(rec[:min(len(rec), fault.HeadSize)]), len(rec)
	s.at = s.offset()
	s.enter(nil, nil)
}

// placePanic, deferred, converts a panic of the user's map into an error of the current record. It
// passes on a memory fault outside of the Go heap, which is an error of the input. If err is still
// ErrExited, the map has exited the goroutine, and placePanic notes the record.
func (s *splitReader) placePanic(err *error) {
	v := recover()
	switch v := v.(type) {
	case nil:
		if *err != fault.ErrExited { //nolint:errorlint // what stood there from the beginning
			return
		}
	case fault.Thrown:
		*err = asMapError(v.Err)
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		panic(v)
	default:
		*err = asMapError(fault.NewPanicError(v))
	}
	if s.now >= 0 {
		s.stop()
	}
}
