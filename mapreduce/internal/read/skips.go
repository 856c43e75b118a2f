package read

import (
	"errors"
	"fmt"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// Skips says which records an attempt skips, and how many more it may. A nil Skips allows none.
type Skips struct {
	maxSkips int
	bad      []cluster.BadRecord // known from earlier attempts, not passed to the map
	list     []cluster.Skipped
	counted  int   // length of list when it was last counted
	first    error // error of the first skipped record
}

// NewSkips returns Skips for at most `most` records, or nil if none may be skipped.
func NewSkips(most int, bad ...cluster.BadRecord) *Skips {
	if most <= 0 {
		return nil
	}
	return &Skips{maxSkips: most, bad: bad}
}

// known returns the error for which earlier attempts reported a record as bad, or nil if they did
// not.
func (k *Skips) known(input string, number int64) error {
	for i := range k.bad {
		if k.bad[i].Number == number && k.bad[i].Input == input {
			return errors.New(k.bad[i].Reason)
		}
	}
	return nil
}

// SkippingKnown returns run for an attempt that may skip records. It does not map records known to
// be bad, and reports each other one before its map, which may never return.
func SkippingKnown(r *Reader, run func(mapRecord func() error) error) func(mapRecord func() error) error {
	return func(mapRecord func() error) error {
		n := r.number()
		if err := r.Skips.known(r.Source.Name(), n); err != nil {
			return err
		}
		if r.Progress != nil {
			r.Progress.Record(n)
		}
		return run(mapRecord)
	}
}

// skip skips the record of a map's error and returns nil. It returns an error if none or no more
// may be skipped, or if the error is permanent without being marked by Bad: then any record would
// cause it.
func (k *Skips) skip(e *RecordError) error {
	if k == nil || fault.IsPermanent(e) && !fault.IsBad(e) {
		return e
	}
	if len(k.list) == k.maxSkips {
		return fault.Permanent(fmt.Errorf("%w: more than %d, the first: %w", cluster.ErrTooManySkips, k.maxSkips, k.first))
	}
	if k.first == nil {
		k.first = e
	}
	k.list = append(k.list, cluster.Skipped{
		Input: e.Input, Offset: e.Offset, Number: e.Number, Head: e.Head, Size: e.Size,
		Reason: fault.CutText(e.Err.Error(), fault.LongestText),
	})
	return nil
}

// Count returns all skipped records, and adds those since the last call to the job's counter.
func (k *Skips) Count(c *counter.Set) []cluster.Skipped {
	if k == nil || len(k.list) == 0 {
		return nil
	}
	c.Add(counter.MapSkippedRecords, int64(len(k.list)-k.counted))
	k.counted = len(k.list)
	return k.list
}

// BadRecord is RecordFailed for a record that never reaches the map, because of err.
func (s *Reader) BadRecord(err error) error {
	s.unmapped++
	return s.RecordFailed(MapError(err))
}

// RecordFailed returns nil if the current record, whose map returned err, can be skipped; otherwise
// the error with which the attempt ends.
func (s *Reader) RecordFailed(err error) error {
	f, isMap := errors.AsType[*mapError](err)
	before := s.Place
	s.Stop()
	if !isMap || s.Skips == nil || s.Ctx.Err() != nil { // the error of a stopped map means nothing
		return err
	}
	placed := s.RecordError(f.err)
	if err := s.Skips.skip(placed); err != nil {
		if errors.Is(err, cluster.ErrTooManySkips) {
			return err
		}
		return f
	}
	s.Place = before
	return nil
}
