package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// permanentExit is the exit code of a worker whose error is permanent.
const permanentExit = 3

// supervise runs an engine's task in a second process of this program and returns the exit code. It
// notes the results of attempts in the plan's folder. If the program, a crash or the system ends
// the second process, the submitter gets the cause from the note. From a host without that folder,
// it gets the cause from a line on standard error, which engines keep.
func (t *task) supervise(ctx context.Context) (code int) {
	id, err := t.identify()
	if err == nil && t.Kind == mappedTask {
		var f *planFile
		if f, err = readPlan(t.Plan); err == nil {
			id, err = t.mapped(ctx, id.Index, id.Try, &f.Layout)
		}
	}
	if errors.Is(err, errWaited) {
		fmt.Fprintln(os.Stderr, err)
		return waitedExit
	}
	if err != nil {
		err = t.noteAttempt(id, err)
	} else {
		err = t.attempts(ctx, id)
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
func (t *task) attempts(ctx context.Context, id mapreduce.AttemptID) error {
	l := &launcher{task: *t, maxAttempts: max(1, t.Attempts), first: id.Try, dir: t.Spills}
	if l.maxAttempts > 1 { // another start of this process counts from there
		l.first *= 1000
	}
	var stdin io.Reader
	if t.Kind == reduceTask && t.Shuffle == "" {
		stdin = os.Stdin
	}
	return l.retry(ctx, t.Kind, id.Index, func(x task) error { return l.start(ctx, x, stdin, os.Stdout) })
}

// failedMark begins the line of a failed attempt on standard error.
const failedMark = "tarry: "

// there returns errGone if the plan file no longer exists for this host: the run is over.
func (t *task) there() error {
	temp, err := folderOf(t.Plan)
	if err != nil {
		return err
	}
	files, err := temp.list() // without reading the plan
	if err == nil && !slices.ContainsFunc(files, func(f fs.DirEntry) bool { return f.Name() == path.Base(t.Plan) }) {
		err = errGone
	}
	return err
}

// identify completes the task with the index and attempt that the engine provides.
func (t *task) identify() (id mapreduce.AttemptID, err error) {
	if t.Kind == eitherTask {
		t.Kind = reduceTask
		if os.Getenv("mapreduce_task_ismap") == "true" {
			t.Kind = mapTask
		}
	}
	if t.Attempt < 0 {
		if t.Attempt, err = attemptOf(os.Getenv); err != nil {
			return t.id(), err
		}
	}
	if t.Index < 0 {
		t.Index, err = t.indexOf(os.Getenv, os.Stdin)
	}
	return t.id(), err
}
