// Package task holds what the engine and the user's code know of a running attempt.
package task

import (
	"context"
	"log/slog"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
)

// Task is the state of a reduce attempt, or of a map attempt at one file. mapreduce.Task shows it
// to the user's code. One goroutine uses it.
type Task struct {
	Ctx      context.Context
	ID       attempt.ID
	Reduces  int    // number of reduces of the job
	Input    string // name of the input file of a map
	Source   int    // index of that file
	Counters *counter.Set
	Budget   *memory.Budget // may be nil
	Alone    bool           // the map runs outside of an attempt; see run.Alone
	Records  *watch.Copies  // of a watched map; otherwise nil
	Reader   *read.Reader   // of a map; nil before its first record
	Log      *slog.Logger   // nil: the default one
}
