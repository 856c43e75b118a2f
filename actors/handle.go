package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

var (
	// ErrJobFailed is wrapped by the error of a job whose task failed too often or whose
	// output could not be committed; the cause is wrapped beside it.
	ErrJobFailed = errors.New("job failed")

	// ErrJobKilled is wrapped by the error of a job that was killed.
	ErrJobKilled = errors.New("job killed")

	// ErrClosed is returned by a Cluster that is closed or draining.
	ErrClosed = errors.New("actors: the cluster is closed")

	// ErrScheduler is wrapped by the error of jobs that a panic of the scheduler ended: a
	// fault of this program.
	ErrScheduler = errors.New("actors: the scheduler panicked")

	// ErrUnknownNode is returned for a node that the cluster does not have.
	ErrUnknownNode = errors.New("actors: unknown node")
)

// Result is how a job ended.
type Result struct {
	ID        scheduling.JobID
	Name      string
	State     scheduling.JobState
	Counters  *counter.Set      // also of a job that failed, as far as it went
	Submitted time.Duration     // since the cluster's start
	Elapsed   time.Duration     // from Submit to the commit of the output
	Err       error             // nil if the job succeeded
	Skipped   []cluster.Skipped // of a job that succeeded, by input and place; see SubmitOptions.MaxSkips
}

// JobHandle is a submitted job. Its methods are safe for concurrent use, also after the
// job and the Cluster have ended.
type JobHandle struct {
	cluster *Cluster
	run     *run
}

// ID is the job's number on its cluster.
func (h *JobHandle) ID() scheduling.JobID { return h.run.id }

// Name is the job's name.
func (h *JobHandle) Name() string { return h.run.name }

// Done is closed when the job has ended.
func (h *JobHandle) Done() <-chan struct{} { return h.run.done }

// Wait waits until the job has ended and its output is committed or removed, and returns
// its result and, unless it succeeded, its error, which wraps ErrJobFailed or
// ErrJobKilled. If ctx ends first, its error and cause are returned; the job goes on.
func (h *JobHandle) Wait(ctx context.Context) (Result, error) {
	select {
	case <-h.run.done:
		return h.run.result, h.run.result.Err
	default:
	}
	select {
	case <-h.run.done:
		return h.run.result, h.run.result.Err
	case <-ctx.Done():
		return Result{ID: h.run.id, Name: h.run.name, State: scheduling.JobRunning}, ending(ctx)
	}
}

// WaitOrKill is Wait for a job that is to end with ctx: if ctx ends first the job is killed, its end
// is waited for all the same, and the error wraps ErrJobKilled, ctx's error and its cause.
func (h *JobHandle) WaitOrKill(ctx context.Context) (Result, error) {
	select {
	case <-h.run.done:
	case <-ctx.Done():
		if err := h.kill(ending(ctx)); err != nil {
			return Result{}, err
		}
	}
	return h.Wait(context.WithoutCancel(ctx))
}

// ending is why a ctx ended: its error, and its cause if that is another.
func ending(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// Kill ends the job; Wait returns when its attempts have stopped, at their next record,
// and its output is removed. Killing a job that has ended is no error.
func (h *JobHandle) Kill(reason string) error {
	if reason == "" {
		return h.kill(nil)
	}
	return h.kill(errors.New(reason))
}

// kill ends the job with a reason that its error wraps.
func (h *JobHandle) kill(reason error) error {
	err := h.cluster.ask(&killJob{h.run, reason})
	if errors.Is(err, ErrClosed) {
		return nil // Close has killed it
	}
	return err
}

// SetPriority changes the job's priority.
func (h *JobHandle) SetPriority(p scheduling.Priority) error {
	return h.cluster.ask(&setPriority{h.run, p})
}

// SetPool moves the job to another pool or queue, if Config.Rules let its submitter.
func (h *JobHandle) SetPool(name string) error { return h.SetPoolBy(h.run.who, name) }
