package mapreduce

import (
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Sentinel errors; test with errors.Is. Package cluster has those that only runners of plans meet.
var (
	// ErrOutputExists is returned by SetupJob if the output directory exists.
	ErrOutputExists = output.ErrOutputExists
	// ErrNoOutput is wrapped by the error of SetupJob for an output that cannot be made, such as a
	// directory below one that may not be written to.
	ErrNoOutput = output.ErrNoOutput
	// ErrInputChanged is the error of a job whose input file was written to, grew, shrank or
	// vanished while it ran.
	ErrInputChanged = dfs.ErrChanged
)

// Permanent marks err as one that another attempt would meet again, such as bad data: the
// job fails at once, where it would try the task up to four times. Permanent(nil) is nil.
func Permanent(err error) error { return fault.Permanent(err) }

// Bad marks err as the fault of the record that a map was called with, such as a number that is none:
// another attempt would meet it again, so the job fails at once, as after [Permanent], unless bad
// records are left out. Bad(nil) is nil.
func Bad(err error) error { return fault.Bad(err) }
