package mapreduce

import (
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Sentinel errors; test with errors.Is. Package cluster has the errors that only code that runs
// plans meets.
var (
	// ErrOutputExists is returned by SetupJob if the output directory exists.
	ErrOutputExists = output.ErrOutputExists
	// ErrNoOutput is wrapped by the error of SetupJob for an output that cannot be created, such as
	// a directory below a read-only one.
	ErrNoOutput = output.ErrNoOutput
	// ErrInputChanged is the error of a job whose input file was modified or removed while the job
	// ran.
	ErrInputChanged = dfs.ErrChanged
)

// Permanent marks err as one that every attempt would meet, such as bad data: the job fails at once
// instead of retrying the task. Permanent(nil) is nil.
func Permanent(err error) error { return fault.Permanent(err) }

// Bad marks err as caused by the record of the current call of a map, such as a malformed number.
// Every attempt would meet it, so the job fails at once, as after [Permanent], unless the job skips
// bad records. Bad(nil) is nil.
func Bad(err error) error { return fault.Bad(err) }
