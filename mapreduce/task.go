package mapreduce

import (
	"context"
	"log/slog"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
)

// AttemptID names one attempt of one task within a job.
type AttemptID = attempt.ID

// Task is what a user's MapTask or ReduceTask learns of the attempt that it
// serves. It belongs to the goroutine of the attempt.
type Task struct {
	ctx      context.Context
	id       AttemptID
	reduces  int
	name     string
	counters *counter.Set
	sign     func()          // of life, for counters; nil before the first
	budget   *cluster.Memory // may be nil
	ahead    bool            // it reads a sample
	records  *loans          // of a watched map; else nil
	reader   *splitReader    // of a map; nil before its first record
	log      *slog.Logger    // nil: the default one
	flush    func() error    // maps records that the map still holds, before their memory is another's; nil: it holds none
	// add is emit for an encoded pair; nil where pairs are combined, watched or held back.
	add func(key, value []byte)
}

// Context is canceled when the attempt is killed.
func (t *Task) Context() context.Context { return t.ctx }

// ID names the attempt.
func (t *Task) ID() AttemptID { return t.id }

// Reduces is the number of reduces of the job; 0 for a job without.
func (t *Task) Reduces() int { return t.reduces }

// InputName is the name of the input file of a map; empty for a reduce. A map
// whose split spans several files has a Task for each.
func (t *Task) InputName() string { return t.name }

// Offset is a number that the record at hand has alone among those of its source (see InputName), the same
// in each attempt, on any node and however the source is split; later records have larger ones. It is
//
//   - of records of files, and of kept records, where the record begins, in bytes, unpacked;
//   - for Slice, Seq, Seq2 and Once the number of the record in the source, from 0, and for Units that in
//     the unit;
//   - for Grouped the number of the group in its part, from 0;
//   - for Formatted the place of the record's part in the file times a power of two, which the size of the
//     file determines, plus the number of the record in the part, from 0.
//
// Only the records of Chunks depend on the splits, and so do their offsets. An offset is 0 before the first
// record, and in a reduce.
func (t *Task) Offset() int64 {
	if t.reader == nil {
		return 0
	}
	return t.reader.offset()
}

// Logger writes to where the cluster's log goes, else to the default logger, with the attempt and the
// input file's name in each line. What attempts of one task log stands there once for each of them.
func (t *Task) Logger() *slog.Logger {
	log := t.log
	if log == nil {
		log = slog.Default()
	}
	log = log.With("attempt", t.id.String())
	if t.name != "" {
		log = log.With("input", t.name)
	}
	return log
}

// LargestRecord is the most bytes of one record that the attempt is to hold in memory; see
// [ErrRecordTooLarge]. A function that keeps records beyond its call should refuse larger ones.
func (t *Task) LargestRecord() int64 { return t.budget.Largest() }

// MemoryBudget is how many bytes all attempts of the cluster together are to hold in memory; 0 is no
// limit. What a function keeps beyond its call and of its own accord, a cache, should be a small part.
func (t *Task) MemoryBudget() int64 { return t.budget.Limit() }

// Counter returns the user's counter of that group and name. Its value counts
// only if the attempt succeeds.
func (t *Task) Counter(group, name string) *counter.User {
	if t.sign == nil {
		t.sign = t.budget.Life().Sign
	}
	return t.counters.User(group, name, t.sign)
}

// Progress says that the attempt goes on. Work that takes minutes without reading, emitting or
// counting anything should call it now and then, or the task timeout ends the attempt.
func (t *Task) Progress() { t.budget.Life().Sign() }
