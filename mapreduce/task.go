package mapreduce

import (
	"context"
	"log/slog"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// AttemptID identifies one attempt of one task within a job.
type AttemptID = attempt.ID

// Task gives a user's MapTask or ReduceTask information about its attempt. Only the goroutine of
// the attempt may use it.
type Task struct {
	ctx      context.Context
	id       AttemptID
	reduces  int
	name     string
	counters *counter.Set
	sign     func()          // reports progress for counters; nil before the first
	budget   *cluster.Memory // may be nil
	alone    bool            // the map runs outside of an attempt; see runAlone
	source   int             // index of the input file of a map
	records  *watch.Copies   // of a watched map; otherwise nil
	reader   *read.Reader    // of a map; nil before its first record
	log      *slog.Logger    // nil: the default one
}

// Context returns a context that is canceled when the attempt is killed.
func (t *Task) Context() context.Context { return t.ctx }

// ID returns the identity of the attempt.
func (t *Task) ID() AttemptID { return t.id }

// Reduces returns the number of reduces of the job; 0 for a job without reduces.
func (t *Task) Reduces() int { return t.reduces }

// InputName returns the name of the input file of a map; empty for a reduce. A map whose split has
// several files has a Task for each.
func (t *Task) InputName() string { return t.name }

// Offset identifies the current record within its source (see InputName): no other record of the
// source has it (but see FlatMap), it is the same in each attempt, on any node and for any splits,
// and later records have larger ones. It is
//
//   - for records of files and for kept records: the record's first byte, in the uncompressed
//     source;
//   - for Slice, Seq and Seq2: the number of the record in the source, from 0; for Units that in
//     the unit;
//   - for FlatMap: that of the record that was split, for all records made of it;
//   - for Grouped: the number of the group in its part, from 0;
//   - for Formatted: the offset of the record's part, times a power of two that depends on the
//     file's size, plus the number of the record in the part, from 0.
//
// Only the records of Chunks depend on the splits, and so do their offsets. The offset is 0 before
// the first record and in a reduce.
func (t *Task) Offset() int64 {
	if t.reader == nil {
		return 0
	}
	return t.reader.Offset()
}

// Logger returns a logger to the cluster's log, or to the default logger if it has none. Each line
// names the attempt and the input file. Each attempt of a task logs its own lines.
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

// LargestRecord returns the maximum size of a record, in bytes, that the attempt may hold in
// memory; see [ErrRecordTooLarge]. A function that keeps records beyond its call should reject
// larger ones.
func (t *Task) LargestRecord() int64 { return t.budget.Largest() }

// MemoryBudget returns the memory budget of all attempts of the cluster together, in bytes; 0 means
// unlimited. A function that keeps its own data between calls, such as a cache, should use only a
// small fraction of it.
func (t *Task) MemoryBudget() int64 { return t.budget.Limit() }

// Counter returns the user's counter of that group and name. Its value counts only if the attempt
// succeeds.
func (t *Task) Counter(group, name string) *counter.User {
	if t.sign == nil {
		t.sign = t.budget.Liveness().Sign
	}
	return t.counters.User(group, name, t.sign)
}

// Progress reports that the attempt is alive. Work that takes minutes without reading, emitting or
// counting should call it now and then, or the task timeout ends the attempt.
func (t *Task) Progress() { t.budget.Liveness().Sign() }
