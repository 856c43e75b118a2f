package mapreduce

import (
	"context"
	"log/slog"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

// AttemptID identifies one attempt of one task within a job.
type AttemptID = attempt.ID

// Task gives a user's MapTask or ReduceTask information about its attempt. Only the goroutine of
// the attempt may use it.
type Task struct {
	of   *task.Task
	sign func() // reports progress for counters; nil before the first
}

// Context returns a context that is canceled when the attempt is killed.
func (t *Task) Context() context.Context { return t.of.Ctx }

// ID returns the identity of the attempt.
func (t *Task) ID() AttemptID { return t.of.ID }

// Reduces returns the number of reduces of the job; 0 for a job without reduces.
func (t *Task) Reduces() int { return t.of.Reduces }

// InputName returns the name of the input file of a map; empty for a reduce. A map whose split has
// several files has a Task for each.
func (t *Task) InputName() string { return t.of.Input }

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
	if t.of.Reader == nil {
		return 0
	}
	return t.of.Reader.Offset()
}

// Logger returns a logger to the cluster's log, or to the default logger if it has none. Each line
// names the attempt and the input file. Each attempt of a task logs its own lines.
func (t *Task) Logger() *slog.Logger {
	log := t.of.Log
	if log == nil {
		log = slog.Default()
	}
	log = log.With("attempt", t.of.ID.String())
	if t.of.Input != "" {
		log = log.With("input", t.of.Input)
	}
	return log
}

// LargestRecord returns the maximum size of a record, in bytes, that the attempt may hold in
// memory; see [ErrRecordTooLarge]. A function that keeps records beyond its call should reject
// larger ones.
func (t *Task) LargestRecord() int64 { return t.of.Budget.Largest() }

// MemoryBudget returns the memory budget of all attempts of the cluster together, in bytes; 0 means
// unlimited. A function that keeps its own data between calls, such as a cache, should use only a
// small fraction of it.
func (t *Task) MemoryBudget() int64 { return t.of.Budget.Limit() }

// Counter returns the user's counter of that group and name. Its value counts only if the attempt
// succeeds.
func (t *Task) Counter(group, name string) *counter.User {
	if t.sign == nil {
		t.sign = t.of.Budget.Liveness().Sign
	}
	return t.of.Counters.User(group, name, t.sign)
}

// Progress reports that the attempt is alive. Work that takes minutes without reading, emitting or
// counting should call it now and then, or the task timeout ends the attempt.
func (t *Task) Progress() { t.of.Budget.Liveness().Sign() }
