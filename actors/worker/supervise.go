package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// permanentExit is the exit code of a worker whose error is permanent.
const permanentExit = 3

// supervise runs an engine's task in a second process of this program and returns the exit code. It
// notes the results of attempts in the plan's folder. If the program, a crash or the system ends
// the second process, the submitter gets the cause from the note. From a host without that folder,
// it gets the cause from a line on standard error, which engines keep.
func (t *task) supervise(ctx context.Context) (code int) {
	err := t.identify(ctx)
	switch {
	case errors.Is(err, errWaited):
		fmt.Fprintln(os.Stderr, err)
		return waitedExit
	case err != nil:
		err = t.noteFailure(err)
	default:
		err = t.attempts(ctx)
	}
	switch {
	case err == nil:
		return 0
	case cluster.IsPermanent(err):
		return permanentExit
	}
	return 1
}

// attempts runs the task in worker processes, until one succeeds or t.Attempts have failed.
func (t *task) attempts(ctx context.Context) error {
	l := &launcher{task: *t, maxAttempts: max(1, t.Attempts), first: t.Attempt}
	if l.maxAttempts > 1 { // another start of this process counts from there
		l.first *= 1000
	}
	var stdin io.Reader
	if t.Kind == reduceTask && t.Shuffle == "" {
		stdin = os.Stdin
	}
	return l.retry(ctx, t.Kind, t.Index, func(x task) error { return l.start(ctx, x, stdin, os.Stdout) })
}

// failedMark begins the line of a failed attempt on standard error.
const failedMark = "tarry: "

// there returns the plan's folder, or errGone if the plan no longer exists for this host: the run
// is over.
func (t *task) there() (temp folder, err error) {
	if temp, err = folderAt(t.Temp); err != nil {
		return temp, err
	}
	n, err := temp.count(planName) // without reading the plan
	if err == nil && n == 0 {
		err = errGone
	}
	return temp, err
}

// identify completes the task with the kind, index and attempt that the engine provides.
func (t *task) identify(ctx context.Context) (err error) {
	if t.Kind == eitherTask {
		t.Kind = reduceTask
		if os.Getenv("mapreduce_task_ismap") == "true" {
			t.Kind = mapTask
		}
	}
	if t.Attempt < 0 {
		if t.Attempt, err = attemptOf(os.Getenv); err != nil {
			return err
		}
	}
	if t.Index < 0 {
		if t.Index, err = t.indexOf(os.Getenv, os.Stdin); err != nil {
			return err
		}
	}
	if t.Kind != mappedTask {
		return nil
	}
	f, err := t.readPlan()
	if err != nil {
		return err
	}
	return t.mapped(ctx, &f.Layout)
}
