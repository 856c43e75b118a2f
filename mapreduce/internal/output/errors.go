package output

import "errors"

// The errors of outputs; package mapreduce documents their meaning for users.
var (
	// ErrOutputExists is returned by SetupJob if the output directory exists.
	ErrOutputExists = errors.New("output exists")
	// ErrNoOutput is wrapped by the error of SetupJob for an output that cannot be created, for
	// example in a directory without write permission.
	ErrNoOutput = errors.New("the output cannot be made")
	// ErrCommitted is returned by CommitTask for a task that is already committed.
	ErrCommitted = errors.New("task is already committed")
	// ErrNotCollected is the error of requesting records before their job has succeeded.
	ErrNotCollected = errors.New("no records: the job that collects them has not succeeded")
	// ErrDestinationUsed is the error of SetupJob for a Writer or Collected that another job uses
	// or has used: it would get part 0 twice.
	ErrDestinationUsed = errors.New("a destination serves one job: make another one")
	// ErrOutputBusy is wrapped, together with ErrOutputExists, by the error for an output that
	// another run is writing.
	ErrOutputBusy = errors.New("another run is writing it")
	// ErrEnded is the error of an attempt that writes or commits after its job has ended.
	ErrEnded = errors.New("the job has ended")
	// ErrUnprepared is the error of an attempt without a directory to write to.
	ErrUnprepared = errors.New("mapreduce: attempt before Plan.SetupJob and Plan.Prepare")
)
