package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// maxProcesses is the maximum N of the engine processes:N.
const maxProcesses = 1024

// processes is the engine that runs each task in a new process of this program, at most n at once.
// Maps and reduces share a local folder, as those of array jobs do; see shared.go. When all maps
// have ended, the reduces begin. A worker that fails is restarted, unless its error is permanent.
type processes int

func (n processes) run(ctx context.Context, j *job) error {
	dir, err := scratch.Dir(j.o.SpillDir, "tarry-shuffle-")
	if err != nil {
		return err
	}
	j.scratch = dir
	t := j.task("", 0, 0)
	t.Memory, t.Shuffle = j.o.Memory/int64(n), dir.Name()
	l := &launcher{task: t, maxAttempts: j.maxAttempts(), log: j.o.Log}
	if err := l.all(ctx, int(n), mapTask, len(j.layout.Splits)); err != nil {
		return err
	}
	return l.all(ctx, int(n), reduceTask, j.layout.Reduces)
}

// launcher starts a worker process for each attempt of a task, and retries failed ones.
type launcher struct {
	task        task      // the fields that all tasks share
	first       int       // number of a task's first attempt
	maxAttempts int       // maximum attempts of a task
	log         io.Writer // for attempts that failed and are retried; nil discards them
}

// all runs tasks 0 to count-1 of a kind, at most width at once, until one fails.
func (l *launcher) all(ctx context.Context, width int, kind string, count int) error {
	ctx, stop := context.WithCancelCause(ctx) // stopped by the first error
	defer stop(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(width, count) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(count) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := l.retry(ctx, kind, int(i), func(t task) error { return l.start(ctx, t, nil, nil) }); err != nil {
					stop(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// retry calls the function once for each attempt of a task, until it succeeds. If all attempts
// fail, it returns the first one's error: later errors may only follow from that.
func (l *launcher) retry(ctx context.Context, kind string, index int, once func(t task) error) (err error) {
	for n := 1; ; n++ {
		t := l.task
		t.Kind, t.Index, t.Attempt = kind, index, l.first+n-1
		_ = t.write(t.note(nil)) // an aid, like that of a failure
		how := once(t)
		switch {
		case how == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		bad := t.noteFailure(how)
		if cluster.IsPermanent(bad) {
			return bad
		}
		err = cmp.Or(err, bad)
		if n == l.maxAttempts && n > 1 {
			err = fmt.Errorf("a %s failed %d times: %w", kind, n, err)
		}
		if n == l.maxAttempts {
			return err
		}
		if l.log != nil {
			fmt.Fprintf(l.log, "tried again: %v\n", bad)
		}
	}
}

// start runs attempt t in a worker process and waits for its exit. The worker writes its frames to
// frames, unless that is nil.
func (l *launcher) start(ctx context.Context, t task, stdin io.Reader, frames *os.File) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.Inner, t.Frames = true, frames != nil
	words := newLastWords(os.Stderr)
	if t.Timeout > 0 {
		go t.awaitSilence(ctx, cancel, words.beats.Load)
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(environ(), taskVariable+"="+t.env())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, words, words
	if t.Frames {
		cmd.ExtraFiles = []*os.File{frames} // framesFile
	}
	cmd.WaitDelay = time.Second // for what the user's code has started, which may hold standard error
	err = cmd.Run()
	if stopped := context.Cause(ctx); err != nil && errors.Is(stopped, errStopped) {
		return stopped
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return words.explain(err)
}

// environ returns this process's environment without TARRY_ON and TARRY_TASK.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, OnVariable+"=") || strings.HasPrefix(v, taskVariable+"=")
	})
}
