package output

import "errors"

// The errors of outputs; mapreduce says what each of them means to a user.
var (
	// ErrOutputExists is returned by SetupJob if the output directory exists.
	ErrOutputExists = errors.New("output exists")
	// ErrNoOutput is wrapped by the error of SetupJob for an output that cannot be made, such as a
	// directory below one that may not be written to.
	ErrNoOutput = errors.New("the output cannot be made")
	// ErrCommitted is returned by CommitTask for a task that has been committed.
	ErrCommitted = errors.New("task is already committed")
	// ErrNotCollected is the error of records that are asked for before their job has succeeded.
	ErrNotCollected = errors.New("no records: the job that collects them has not succeeded")
	// ErrDestinationUsed is the error of SetupJob for a Writer or Collected to which another job
	// writes, or has written: part 0 would come a second time.
	ErrDestinationUsed = errors.New("a destination serves one job: make another one")
	// ErrOutputBusy is wrapped, beside ErrOutputExists, by the error of an output that another
	// run is writing.
	ErrOutputBusy = errors.New("another run is writing it")
	// ErrUnprepared is the error of an attempt without a directory to write to.
	ErrUnprepared = errors.New("mapreduce: attempt before Plan.SetupJob and Plan.Prepare")
)
