package worker

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// usualTimeout is that of a task of which nothing was said, as Hadoop's mapreduce.task.timeout.
const usualTimeout = 10 * time.Minute

// timeout is for how long a task may go on without progress; 0 means for ever.
func (o *Options) timeout() time.Duration {
	switch {
	case o.TaskTimeout < 0:
		return 0
	case o.TaskTimeout == 0:
		return usualTimeout
	}
	return o.TaskTimeout
}

// watched runs work, in which the user's code is, in a goroutine that this may end, too. Without progress
// for too long the task has failed, and with it this process: nothing else ends code that does not return.
func (a *attempt) watched(work func() error) (err error) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		returned := false
		defer func() {
			if !returned {
				err = a.progress.Exited()
			}
		}()
		err = work()
		returned = true
	}()
	if a.still(over) {
		a.task.giveUp(a.id, fmt.Errorf("task timeout: no progress for %v%s", a.task.Timeout, a.stand()))
	}
	return err
}

// still waits until the work is over, or has been still for the task's timeout: then it returns true.
// Time in which this process did not run does not count. Hadoop, which has a timeout of its own, is told of
// progress.
func (a *attempt) still(over <-chan struct{}) bool {
	limit := a.task.Timeout
	every := time.Second
	if limit > 0 {
		every = min(every, limit/4+1)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	var pulse int64
	stood, told, was, looked := time.Duration(0), time.Now(), time.Now(), time.Now()
	for {
		select {
		case <-over:
			return false
		case <-tick.C:
		}
		now := time.Now()
		passed := min(now.Sub(was), 2*every)
		was = now
		if now.Sub(looked) >= a.task.lookEvery() {
			looked = now
			if there, err := planThere(a.task.Plan); err == nil && !there {
				os.Exit(1) // the job was given up: whoever started this process may not be there to end it
			}
		}
		if p := a.progress.Pulse(); p != pulse {
			pulse, stood = p, 0
			if now.Sub(told) >= tellEvery {
				told = now
				a.tell("status", fmt.Sprintf("%d records", a.progress.Records.Load()))
			}
			continue
		}
		if stood += passed; limit > 0 && stood >= limit {
			return true
		}
	}
}

// lookEvery is how often a task looks whether its job goes on.
func (t *task) lookEvery() time.Duration {
	if stores.Named(t.Plan) {
		return time.Minute
	}
	return 5 * time.Second
}

// tellEvery is how often Hadoop is told that a task goes on.
const tellEvery = time.Minute

// stand says how far the attempt has come, and where the user's code is.
func (a *attempt) stand() string {
	text := ", before the first record"
	if where := a.progress.Where(); where != "" {
		text = ", in " + where
	} else if n := a.progress.Records.Load(); n > 0 {
		text = fmt.Sprintf(", after about %d records", n)
	}
	buf := make([]byte, mostStacks)
	buf = buf[:runtime.Stack(buf, true)]
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		if !strings.Contains(stack, "created by github.com/tarry-mr/tarry/actors/worker.(*attempt).watched ") {
			continue
		}
		if at := cluster.StackPlace(stack); at != "" {
			return text + ", at " + at
		}
	}
	return text
}

// mostStacks bounds the stacks of all goroutines that are searched for one.
const mostStacks = 4 << 20

// giveUp ends this process with an error, whatever goes on in it.
func (t *task) giveUp(id mapreduce.AttemptID, cause error) {
	if err := t.fail(id, cause); err != nil || !t.Quiet {
		fmt.Fprintln(os.Stderr, cause)
	}
	os.Exit(1)
}
