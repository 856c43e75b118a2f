package mapreduce

import (
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Sentinel errors; test with errors.Is.
var (
	// ErrNotCollected is the error of [Collected.Records] before its job has succeeded.
	ErrNotCollected = output.ErrNotCollected
	// ErrOutputExists is returned by SetupJob if the output directory exists.
	ErrOutputExists = output.ErrOutputExists
	// ErrOutputBusy is wrapped, beside ErrOutputExists, by the error of an output that another
	// run is writing.
	ErrOutputBusy = output.ErrOutputBusy
	// ErrNoOutput is wrapped by the error of SetupJob for an output that cannot be made, such as a
	// directory below one that may not be written to.
	ErrNoOutput = output.ErrNoOutput
	// ErrDestinationUsed is the error of SetupJob for a Writer or Collected to which another job
	// writes, or has written: part 0 would come a second time.
	ErrDestinationUsed = output.ErrDestinationUsed
	// ErrConsumed is the error of a second attempt over a stream that can be read only once.
	ErrConsumed = fault.ErrConsumed
	// ErrUnsupportedType is wrapped by errors of Bind about a type that cannot be a
	// key, value or record.
	ErrUnsupportedType = codec.ErrUnsupportedType
	// ErrCorruptInput is wrapped by errors about damaged or truncated compressed input.
	ErrCorruptInput = fault.ErrCorruptInput
	// ErrExited is the error of an attempt, or another step of a job, whose user code ended
	// the goroutine it ran in by runtime.Goexit, as t.Fatal of a test does.
	ErrExited = fault.ErrExited
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

// IsBad reports whether err is marked by [Bad].
func IsBad(err error) bool { return fault.IsBad(err) }

// IsPermanent reports whether err is marked by [Permanent] or [Bad], or is of itself of that kind:
// input that has changed, is damaged, has a block without a good replica or can be read only once, and
// records that are too large.
func IsPermanent(err error) bool { return fault.IsPermanent(err) }

// PanicError is a panic of the user's code.
type PanicError = fault.PanicError
